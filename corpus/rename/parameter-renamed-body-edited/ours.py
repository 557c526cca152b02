def resize(image, size):
    image = image.convert("RGB")
    return image.resize(size)
