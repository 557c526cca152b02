from pkg.conn import Conn


def main(address):
    conn = Conn(address, timeout=5)
    return conn.send(b"hello")
