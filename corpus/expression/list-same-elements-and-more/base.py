PORTS = [first, second]
