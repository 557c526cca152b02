from tests.tools import (mirror,
                         Matcher, spawn)


def run():
    with mirror:
        return mirror(Matcher(), spawn)
