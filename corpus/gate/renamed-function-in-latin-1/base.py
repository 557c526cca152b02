# -*- coding: latin-1 -*- Stand: März
# Größe der Tabelle.


def read_table(path):
    return open(path).read()


def main(path):
    show(read_table(path))
