def run(job):
    job.prepare()
    job.upload(BUCKET, retries=2)
    job.close()
