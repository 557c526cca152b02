import os

try:
    import orjson as json
except ImportError:
    import json


def dump(data):
    return json.dumps(data)
