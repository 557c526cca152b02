def scale( image, width, height, *, keep_ratio=True, interpolation=NEAREST ):
    return image.resize( width, height, keep_ratio )
