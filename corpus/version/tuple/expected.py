version_info = (4, 2, 0, "beta", 1)
