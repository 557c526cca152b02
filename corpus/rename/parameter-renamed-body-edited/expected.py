def resize(image, size):
    image = image.convert("RGB")
    image.load()
    return image.resize(size)
