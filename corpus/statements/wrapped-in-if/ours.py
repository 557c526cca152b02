def finish(run):
    run.close()
    if run.artifacts:
        upload(run.artifacts)
    return run.status
