from pkg.conn import Conn


def main(address):
    conn = Conn(address)
    return conn.send(b"hello")
