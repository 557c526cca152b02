import sys

try:
    from paperboat import fastjson as _json
except ImportError:
    from paperboat import json as _json

INDENT = 2
