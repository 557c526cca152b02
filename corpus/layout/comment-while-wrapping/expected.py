PORTS = {
    "http": 80,  # redirected
    "https": 443,
    "ssh": 22,
}
