session.mount(
    "https://",
    HTTPAdapter(
        max_retries=retries,
        pool_block=True,
        pool_maxsize=32,
    ),
)
