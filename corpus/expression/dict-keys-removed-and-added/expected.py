CURVES = {
    "large": Group(512),
<<<<<<< ours
    "old": Group(160),
    "weak": Group(163),
    "new": Group(256),
||||||| base
    "old": Group(160),
    "weak": Group(163),
=======
>>>>>>> theirs
}
