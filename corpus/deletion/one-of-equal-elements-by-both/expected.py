<<<<<<< ours
CALLS = check(["start", "run", "skip", "stop", "end"])
||||||| base
CALLS = check(["start", "run", "skip", "skip", "stop", "end"])
=======
CALLS = check(["start", "skip", "stop", "end"])
>>>>>>> theirs
