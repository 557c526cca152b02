def resize(img, size):
    img = img.convert("RGB")
    img.load()
    return img.resize(size)
