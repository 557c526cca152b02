NUMERICS = {
    "en_US": (".", ","),
    # A breaking or non-breaking space, so it is not tested.
    "fr_BE": (",", ""),
    "ps_AF": ("\u066b", "\u066c"),
}
