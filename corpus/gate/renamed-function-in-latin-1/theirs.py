# -*- coding: latin-1 -*- Stand: März
# Größe der Tabelle.


def read_table(path):
    return open(path).read()


def compare(path, other):
    return read_table(path) == read_table(other)


def main(path):
    show(read_table(path))
