def describe(run):
    return f"run {run.id}: {run.passed} passed, {run.failed} failed"
