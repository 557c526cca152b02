COMMANDS = ["build", "check", "clean", "docs", "lint", "test"]
