def describe(run):
<<<<<<< ours
    return f"run {run.id:>6}: {run.passed} passed, {run.failed} failed"
||||||| base
    return f"run {run.id}: {run.passed} passed, {run.failed} failed"
=======
    return f"run {run.id}: {run.passed} passed, {run.failed} failed, {run.skipped} skipped"
>>>>>>> theirs
