def finish(run):
    run.close()
    if run.artifacts:
        upload(run.artifacts, retries=3)
    return run.status
