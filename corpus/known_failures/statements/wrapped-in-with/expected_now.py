def write(path, rows):
    stream = open_target(path)
<<<<<<< ours
    with locked(stream):
        for row in rows:
            stream.write(row)
        stream.flush()
||||||| base
    for row in rows:
        stream.write(row)
    stream.flush()
=======
    for row in rows:
        stream.write(row + "\n")
    stream.flush()
>>>>>>> theirs
