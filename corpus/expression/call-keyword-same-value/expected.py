import argparse

parser = argparse.ArgumentParser()
<<<<<<< ours
parser.add_argument("--jobs", type=int, default=8, help="Number of workers.")
||||||| base
parser.add_argument("--jobs", type=int, default=4, help="Number of workers.")
=======
parser.add_argument("--jobs", type=int, default=2, help="Number of workers.")
>>>>>>> theirs
args = parser.parse_args()
