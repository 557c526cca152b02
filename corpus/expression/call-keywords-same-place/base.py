def open_pool(settings):
    return ConnectionPool(
        settings.dsn,
        min_size=settings.pool_min,
        max_size=settings.pool_max,
    )
