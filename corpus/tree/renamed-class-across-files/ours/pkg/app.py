from pkg.conn import Connection


def main(address):
    conn = Connection(address)
    return conn.send(b"hello")
