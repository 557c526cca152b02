def scale( image, width, height, *, keep_ratio=True, background=WHITE, interpolation=NEAREST ):
    return image.resize( width, height, keep_ratio )
