def run(job):
    job.prepare()
<<<<<<< ours
    # job.upload(BUCKET)
||||||| base
    job.upload(BUCKET)
=======
    job.upload(BUCKET, retries=2)
>>>>>>> theirs
    job.close()
