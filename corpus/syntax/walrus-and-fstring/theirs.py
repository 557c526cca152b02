def lines(stream):
    while (line := stream.readline()):
        yield f"{line.strip()!r:>{WIDTH}} {len(line):4d}"
