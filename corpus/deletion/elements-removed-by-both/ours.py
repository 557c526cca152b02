COMMANDS = ["build", "check", "docs", "lint"]
