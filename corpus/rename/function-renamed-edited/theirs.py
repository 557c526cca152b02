def get_data(path):
    with open(path) as stream:
        lines = stream.readlines()
    return [line.strip() for line in lines if line.strip()]


def main():
    return get_data("in.txt")
