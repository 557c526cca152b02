CALLS = check(["start", "run", "skip", "skip", "stop", "end"])
