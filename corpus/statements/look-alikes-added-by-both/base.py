"""Checks a plan."""


def check(plan):
    plan.expect("hosts", least=1)
    plan.forbid("spread", reason="one host")
    plan.seal()
