def evaluate(node):
    match node:
        case Number(value):
            return Decimal(value)
        case Add(left, right):
            return evaluate(left) + evaluate(right)
        case Negate(operand):
            return -evaluate(operand)
        case _:
            raise TypeError(node)
