import re

import yaml

CONFIG = yaml.safe_load(re.sub(r"\t", "  ", TEXT))
