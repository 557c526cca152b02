def evaluate(node):
    match node:
        case Number(value):
            return Decimal(value)
        case Add(left, right):
            return evaluate(left) + evaluate(right)
        case _:
            raise TypeError(node)
