def load(path):
    return path.read_bytes()


# Keep in step with the C version.
# See section 4 of the protocol notes.
def digest(data):
    return zlib.crc32(data) & 0xFFFFFFFF
