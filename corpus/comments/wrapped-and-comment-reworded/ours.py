def collect(marker):
    try:
        yield marker
        # Now the marker is held.
        found = [x for x in referrers(marker) if type(x) is tuple]
    finally:
        release(marker)
    return found
