def main():
    print("hello")


def version():
    return "1.2"


if __name__ == "__main__":
    main()
