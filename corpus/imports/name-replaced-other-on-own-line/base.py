from tests.tools import (record, Matcher,
                         spawn)


def run():
    return record(Matcher(), spawn)
