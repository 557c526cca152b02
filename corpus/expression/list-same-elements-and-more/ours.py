PORTS = [first, second, third, fourth, fifth]
