PORTS = {"http": 80, "https": 443, "ssh": 22}
