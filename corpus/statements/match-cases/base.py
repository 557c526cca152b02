def evaluate(node):
    match node:
        case Number(value):
            return value
        case Add(left, right):
            return evaluate(left) + evaluate(right)
        case _:
            raise TypeError(node)
