from pkg.conn import Connection


def main(address):
    conn = Connection(address, timeout=5)
    return conn.send(b"hello")
