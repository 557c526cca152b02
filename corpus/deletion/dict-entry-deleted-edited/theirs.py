FLAGS = {
    "cache": True,
    "legacy_auth": "audit",
    "metrics": False,
}
