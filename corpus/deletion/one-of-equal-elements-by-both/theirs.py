CALLS = check(["start", "skip", "stop", "end"])
