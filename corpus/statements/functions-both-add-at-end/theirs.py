def area(width, height):
    return width * height


def diagonal(width, height):
    return (width**2 + height**2) ** 0.5
