import sys

from paperboat import json as _json

INDENT = 2
