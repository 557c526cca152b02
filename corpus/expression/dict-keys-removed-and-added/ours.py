CURVES = {
    "large": Group(512),
    "old": Group(160),
    "weak": Group(163),
    "new": Group(256),
}
