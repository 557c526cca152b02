def open_stream(
    host,  # name or address
    port,
    *,
    timeout=30,  # seconds
):
    return connect(host, port, timeout)
