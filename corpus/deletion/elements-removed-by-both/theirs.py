COMMANDS = ["check", "docs", "lint", "test"]
