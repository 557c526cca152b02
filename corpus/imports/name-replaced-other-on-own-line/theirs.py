from tests.tools import (record,
                         mirror,
                         Matcher, spawn)


def run():
    with mirror:
        return record(Matcher(), spawn)
