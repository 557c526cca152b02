import yaml  # type: ignore[import-untyped]

CONFIG = yaml.safe_load(TEXT)
