def run(job):
    job.prepare()
<<<<<<< ours
||||||| base
    job.upload(BUCKET)
=======
    job.upload(BUCKET, retries=2)
>>>>>>> theirs
    # job.upload(BUCKET)
    job.close()
