from tests.tools import (mirror, Matcher,
                         spawn)


def run():
    return mirror(Matcher(), spawn)
