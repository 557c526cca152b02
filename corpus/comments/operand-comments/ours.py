ready = (
    has_data  # loaded
    and not locked  # by another
    and fresh  # younger than a day
)
