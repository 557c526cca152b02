LOGGING = {
    "version": 1,
    "handlers": {
        "console": {"class": "rich.logging.RichHandler", "level": "INFO"},
    },
    "loggers": {
        "app": {"handlers": ["console"]},
    },
}
