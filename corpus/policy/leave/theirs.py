GROUPS = {"tp": 1, "ep": 1}
