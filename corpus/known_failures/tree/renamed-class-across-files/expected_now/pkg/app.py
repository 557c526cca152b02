from pkg.conn import Connection


def main(address):
<<<<<<< ours
    conn = Connection(address)
||||||| base
    conn = Conn(address)
=======
    conn = Conn(address, timeout=5)
>>>>>>> theirs
    return conn.send(b"hello")
