SKIPPED_CHECKS = [
    "codecov",
    "copy-pr-bot",
    "docs",
<<<<<<< ours
    "greptile",
||||||| base
=======
    "review",
>>>>>>> theirs
]
