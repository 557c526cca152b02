LOGGING = {
    "version": 1,
    "handlers": {
        "console": {"class": "logging.StreamHandler", "level": "INFO"},
    },
    "loggers": {
        "app": {"handlers": ["console"]},
    },
}
