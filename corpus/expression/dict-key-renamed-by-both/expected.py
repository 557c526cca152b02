NUMERICS = {
    "en_US": (".", ","),
<<<<<<< ours
    # A breaking or non-breaking space, so it is not tested.
    "fr_CA": (",", ""),
||||||| base
    # A breaking or non-breaking space, so it is not tested.
    "fr_FR": (",", ""),
=======
    # A breaking or non-breaking space, so it is not tested.
    "fr_BE": (",", ""),
>>>>>>> theirs
    "ps_AF": ("\u066b", "\u066c"),
}
