import json
import logging
import subprocess
import time


def main():
    subprocess.run(["sync"], check=True)
    return json.dumps({"now": time.time(), "level": logging.root.level})
