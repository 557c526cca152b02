FLAGS = {
    "cache": True,
    "metrics": False,
}
