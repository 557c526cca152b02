session.mount(
    "https://",
    HTTPAdapter(
        max_retries=retries,
        pool_maxsize=32,
    ),
)
