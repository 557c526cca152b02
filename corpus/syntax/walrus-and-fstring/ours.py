def lines(stream):
    while (line := stream.readline(LIMIT)):
        yield f"{line.strip()!r:>{WIDTH}} {len(line)}"
