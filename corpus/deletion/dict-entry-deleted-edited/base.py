FLAGS = {
    "cache": True,
    "legacy_auth": True,
    "metrics": False,
}
