class Table:
    def add(self, value):
        self.rows.append(helper(value))


def export(table):
    return list(table.rows)


def helper(value):
    value = value.strip()
    return value.lower()
