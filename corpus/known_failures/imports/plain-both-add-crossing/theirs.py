import json
import logging
import time


def main():
    return json.dumps({"now": time.time(), "level": logging.root.level})
