def collect(marker):
    try:
        yield marker
        # Now a tuple holds the marker.
        found = [x for x in referrers(marker) if type(x) is tuple]
    finally:
        release(marker)
    return found
