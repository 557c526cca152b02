GROUPS = {"tp": 1}
