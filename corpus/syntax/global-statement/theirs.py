COUNT = 0


def up():
    global COUNT
    COUNT += 1


def down():
    global COUNT
    COUNT = max(0, COUNT - 1)
