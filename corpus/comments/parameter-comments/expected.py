def open_stream(
    host: str,  # name or address
    port: int,
    *,
    timeout=30,  # seconds
):
    return connect(host, port, timeout)
