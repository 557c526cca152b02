def finish(run):
    run.close()
<<<<<<< ours
    if run.artifacts:
        upload(run.artifacts)
||||||| base
    upload(run.artifacts)
=======
    upload(run.artifacts, retries=3)
>>>>>>> theirs
    return run.status
