LOGGING = {
    "version": 1,
    "handlers": {
        "console": {"class": "rich.logging.RichHandler", "level": "DEBUG"},
    },
    "loggers": {
        "app": {"handlers": ["console"]},
    },
}
