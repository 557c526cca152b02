def finish(run):
    run.close()
    upload(run.artifacts)
    return run.status
