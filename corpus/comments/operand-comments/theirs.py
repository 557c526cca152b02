ready = (
    has_input  # loaded
    and not locked  # by another
)
