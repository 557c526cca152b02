import json


def read(path):
    with open(path) as file:
        return json.load(file)


def names(rows):
    return [row['name'] for row in rows]
