def read_rows(path):
    with open(path) as stream:
        lines = stream.readlines()
    return [line.strip() for line in lines if line]


def main():
    return read_rows("in.txt")
