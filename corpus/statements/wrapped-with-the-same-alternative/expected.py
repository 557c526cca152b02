import sys
<<<<<<< ours

from paperboat import json as _json
||||||| base

from paperboat import fastjson as _json
=======

try:
    from paperboat import fastjson as _json
except ImportError:
    from paperboat import json as _json
>>>>>>> theirs

INDENT = 2
