import json
import sys
import time


def main():
    json.dump(time.time(), sys.stdout)
