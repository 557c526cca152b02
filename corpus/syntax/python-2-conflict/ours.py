def show(items):
    for item in items:
        print item.name
