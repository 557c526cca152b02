def open_stream(
    host: str,  # name or address
    port: int,
):
    return connect(host, port)
