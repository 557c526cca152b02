def plan(jobs):
    return Schedule(jobs, start=1, limit=len(jobs), retries=retry_limit(), priority=LOW)
