class Base:
    pass


def _read_ini(path):
    return parse_ini(path)


class IniReader(Base):
    read = staticmethod(_read_ini)
