def resize(img, size):
    img = img.convert("RGB")
    return img.resize(size)
