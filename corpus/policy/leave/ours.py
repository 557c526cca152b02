GROUPS = {"tp": 1, "cp": 1}
