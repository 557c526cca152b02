import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--jobs", type=int, default=2, help="Number of workers.")
args = parser.parse_args()
