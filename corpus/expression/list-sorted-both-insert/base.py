SKIPPED_CHECKS = [
    "codecov",
    "copy-pr-bot",
    "docs",
]
