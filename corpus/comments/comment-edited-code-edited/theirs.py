def offset(page):
    # Pages are counted from 0.
    return (page - 1) * SIZE
