def describe(run):
    return f"run {run.id:>6}: {run.passed} passed, {run.failed} failed"
