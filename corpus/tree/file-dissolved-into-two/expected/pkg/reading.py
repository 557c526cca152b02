"""Input."""
from decimal import Decimal


def parse_order(line):
    customer, amount, note = line.split(";", 2)
    return Order(customer.strip(), Decimal(amount), note.strip())


def read_orders(path):
    return [parse_order(line) for line in path.read_text().splitlines()]
