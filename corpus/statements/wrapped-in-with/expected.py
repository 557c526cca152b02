def write(path, rows):
    stream = open_target(path)
    with locked(stream):
        for row in rows:
            stream.write(row + "\n")
        stream.flush()
