import json
import subprocess
import time


def main():
    subprocess.run(["sync"], check=True)
    return json.dumps(time.time())
