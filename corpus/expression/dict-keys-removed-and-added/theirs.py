CURVES = {
    "large": Group(512),
}
