# -*- coding: latin-1 -*- Stand: März
# Größe der Tabelle.


def load(path):
    return open(path).read()


def main(path):
    show(load(path))
