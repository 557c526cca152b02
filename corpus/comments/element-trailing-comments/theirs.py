PORTS = [
    80,  # http
    443,  # https
    5432,  # database
]
