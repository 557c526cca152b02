import os
import pathlib

try:
    import ujson as json
except ImportError:
    import json


def dump(data):
    return json.dumps(data)
