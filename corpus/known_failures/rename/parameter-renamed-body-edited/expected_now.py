<<<<<<< ours
def resize(image, size):
    image = image.convert("RGB")
    return image.resize(size)
||||||| base
def resize(img, size):
    img = img.convert("RGB")
    return img.resize(size)
=======
def resize(img, size):
    img = img.convert("RGB")
    img.load()
    return img.resize(size)
>>>>>>> theirs
