ready = (
    has_input  # loaded
    and not locked  # by another
    and fresh  # younger than a day
)
