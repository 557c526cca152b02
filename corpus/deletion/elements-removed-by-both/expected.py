COMMANDS = ["check", "docs", "lint"]
