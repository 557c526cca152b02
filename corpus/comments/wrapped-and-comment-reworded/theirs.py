def collect(marker):
    yield marker
    # Now a tuple holds the marker.
    found = [x for x in referrers(marker) if type(x) is tuple]
    return found
