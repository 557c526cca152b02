def plan(jobs):
    return Schedule(
        jobs, start=today(), limit=len(jobs), retries=retry_limit(), priority=LOW
    )
