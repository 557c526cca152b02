def scale( image, width, height, *, keep_ratio=True ):
    return image.resize( width, height, keep_ratio )
