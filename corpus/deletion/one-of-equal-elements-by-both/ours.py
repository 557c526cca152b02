CALLS = check(["start", "run", "skip", "stop", "end"])
