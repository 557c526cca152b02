FLAGS = {
    "cache": True,
<<<<<<< ours
||||||| base
    "legacy_auth": True,
=======
    "legacy_auth": "audit",
>>>>>>> theirs
    "metrics": False,
}
