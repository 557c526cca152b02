def offset(page):
    # Pages are counted from 1.
    return page * SIZE
