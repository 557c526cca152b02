def run(job):
    job.prepare()
    # job.upload(BUCKET)
    job.close()
