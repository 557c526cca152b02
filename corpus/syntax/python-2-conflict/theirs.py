def show(items):
    for item in items:
        print repr(item)
