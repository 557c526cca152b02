COUNT = 0
STEP = 1


def up():
    global COUNT
    COUNT += STEP


def down():
    global COUNT
    COUNT -= 1
