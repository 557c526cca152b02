def get_data(path):
    with open(path) as stream:
        lines = stream.readlines()
    return [line.strip() for line in lines if line]


def main():
    return get_data("in.txt")
