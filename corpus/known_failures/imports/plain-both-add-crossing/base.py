import json
import time


def main():
    return json.dumps(time.time())
