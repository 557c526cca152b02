class Base:
    pass


def _read_xml(path):
    return parse_xml(path)


class XmlReader(Base):
    read = staticmethod(_read_xml)
