"""Checks a plan."""


def check(plan):
<<<<<<< ours
    plan.expect("hosts", least=1, most=8, strict=True)
    plan.expect("hosts", least=2)
||||||| base
    plan.expect("hosts", least=1)
    plan.forbid("spread", reason="one host")
=======
    plan.expect("hosts", least=1, most=8, strict=True)
    plan.expect("hosts", least=2)
    plan.forbid("spread", reason="one host")
>>>>>>> theirs
    plan.seal()
