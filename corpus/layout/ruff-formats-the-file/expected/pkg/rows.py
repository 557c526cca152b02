import json


def read(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def names(rows):
    return [row['name'] for row in rows]


def total(rows):
    return sum(row['price'] for row in rows)
