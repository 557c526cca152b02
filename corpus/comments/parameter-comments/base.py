def open_stream(
    host,  # name or address
    port,
):
    return connect(host, port)
