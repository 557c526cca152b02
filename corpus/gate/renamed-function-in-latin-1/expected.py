# -*- coding: latin-1 -*- Stand: März
# Größe der Tabelle.


<<<<<<< ours
def load(path):
    return open(path).read()


def main(path):
    show(load(path))
||||||| base
def read_table(path):
    return open(path).read()


def main(path):
    show(read_table(path))
=======
def read_table(path):
    return open(path).read()


def compare(path, other):
    return read_table(path) == read_table(other)


def main(path):
    show(read_table(path))
>>>>>>> theirs
