import sys

from paperboat import fastjson as _json

INDENT = 2
