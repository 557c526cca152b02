import re

import yaml  # type: ignore[import-untyped]

CONFIG = yaml.safe_load(re.sub(r"\t", "  ", TEXT))
