"""Input."""


def parse_order(line):
    customer, amount, note = line.split(";", 2)
    return Order(customer.strip(), int(amount), note)


def read_orders(path):
    return [parse_order(line) for line in path.read_text().splitlines()]
