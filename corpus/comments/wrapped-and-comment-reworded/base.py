def collect(marker):
    yield marker
    # Now the marker is held.
    found = [x for x in referrers(marker) if type(x) is tuple]
    return found
