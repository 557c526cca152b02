version_info = (4, 2, 0, "alpha", 2)
