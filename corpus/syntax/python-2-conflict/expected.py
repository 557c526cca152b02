def show(items):
    for item in items:
<<<<<<< ours
        print item.name
||||||| base
        print item
=======
        print repr(item)
>>>>>>> theirs
