LEVELS = {"debug": 10, "info": 20}
DEFAULT = "info"


def level(name):
    return LEVELS.get(name, LEVELS[DEFAULT])
