NEEDED = [
    "algorithms/assortativity.py",
    "algorithms/communicability.py",
    "drawing/layout.py",
    "algorithms/tree.py",
    "generators/spectral.py",
    "generators/springs.py",
    "linalg/bethe.py",
    "linalg/laplacian.py",
    "readwrite/text.py",
    "utils/misc.py",
    "zoo/karate.py",
    "zoo/miserables.py",
]
