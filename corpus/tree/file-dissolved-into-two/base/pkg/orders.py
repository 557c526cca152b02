"""Everything about orders."""

import csv


def totals(orders):
    sums = {}
    for order in orders:
        sums[order.customer] = sums.get(order.customer, 0) + order.amount
    return sums


def write_report(orders, path):
    with path.open("w") as target:
        writer = csv.writer(target)
        for customer, amount in sorted(totals(orders).items()):
            writer.writerow([customer, amount])


def parse_order(line):
    customer, amount, note = line.split(";", 2)
    return Order(customer.strip(), int(amount), note)


def read_orders(path):
    return [parse_order(line) for line in path.read_text().splitlines()]
