COUNT = 0
STEP = 1


def up():
    global COUNT
    COUNT += STEP


def down():
    global COUNT
    COUNT = max(0, COUNT - 1)
