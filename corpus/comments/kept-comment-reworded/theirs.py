def check(value, text):
    # A difference of three units is what the format allows,
    # so half a unit must vanish.
    if value + delta(value) / 8 != value:
        raise ValueError(f"{text} lost too much")
