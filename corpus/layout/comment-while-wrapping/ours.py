PORTS = {
    "http": 80,  # redirected
    "https": 443,
}
