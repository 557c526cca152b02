PORTS = [first, second, third, fifth]
