def write(path, rows):
    stream = open_target(path)
    for row in rows:
        stream.write(row + "\n")
    stream.flush()
