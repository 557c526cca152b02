import yaml

CONFIG = yaml.safe_load(TEXT)
