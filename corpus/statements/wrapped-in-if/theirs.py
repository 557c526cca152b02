def finish(run):
    run.close()
    upload(run.artifacts, retries=3)
    return run.status
