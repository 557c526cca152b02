def scale( image, width, height, *, keep_ratio=True, background=WHITE ):
    return image.resize( width, height, keep_ratio )
