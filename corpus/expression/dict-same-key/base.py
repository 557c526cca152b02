LIMITS = {
    "upload": 10_000_000,
    "download": 50_000_000,
}
