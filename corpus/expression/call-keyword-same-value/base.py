import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--jobs", type=int, default=4, help="Number of workers.")
args = parser.parse_args()
