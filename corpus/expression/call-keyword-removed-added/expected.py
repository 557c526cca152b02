session.mount(
    "https://",
    HTTPAdapter(
        max_retries=retries,
        pool_maxsize=32,
        pool_connections=16,
    ),
)
