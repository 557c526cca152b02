LEVELS = {'debug': 10, 'info': 20, 'error': 40}
DEFAULT = 'debug'


def level(name):
    return LEVELS.get(name, LEVELS[DEFAULT])
