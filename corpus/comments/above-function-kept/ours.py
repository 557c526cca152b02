def load(path):
    return path.read_bytes()


def store(path, data):
    path.write_bytes(data)


# Keep in step with the C version.
# See the protocol notes.
def digest(data):
    return zlib.crc32(data)
