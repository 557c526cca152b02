PORTS = [
    80,  # http
    443,  # https
]
