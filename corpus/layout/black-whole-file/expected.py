def parse(text, *, strict=False):
    parts = [p.strip() for p in text.split(",")]
    if strict and not all(parts):
        raise ParseError("empty part", text)
    return parts


def join(parts, sep=", "):
    return sep.join(map(str, parts))
