def plan(jobs):
    return Schedule(jobs, start=1, limit=len(jobs), retries=2, priority=DEFAULT_PRIORITY)
