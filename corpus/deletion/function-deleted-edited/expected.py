def keep():
    return 1


<<<<<<< ours
||||||| base
def legacy(path):
    data = path.read_text()
    return data.upper()


=======
def legacy(path):
    data = path.read_text()
    return data.casefold()


>>>>>>> theirs
def last():
    return 3
