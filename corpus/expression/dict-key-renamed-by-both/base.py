NUMERICS = {
    "en_US": (".", ","),
    # A breaking or non-breaking space, so it is not tested.
    "fr_FR": (",", ""),
    "ps_AF": ("\u066b", "\u066c"),
}
