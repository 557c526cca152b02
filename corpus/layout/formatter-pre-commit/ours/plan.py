def plan(jobs):
    return Schedule(jobs, start=today(), limit=len(jobs), retries=2, priority=LOW)
