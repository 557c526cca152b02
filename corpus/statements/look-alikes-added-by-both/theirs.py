"""Checks a plan."""


def check(plan):
    plan.expect("hosts", least=1, most=8, strict=True)
    plan.expect("hosts", least=2)
    plan.forbid("spread", reason="one host")
    plan.seal()
