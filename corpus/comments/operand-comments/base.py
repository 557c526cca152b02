ready = (
    has_data  # loaded
    and not locked  # by another
)
