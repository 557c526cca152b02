def offset(page):
    # Pages start at 1.
    return (page - 1) * SIZE
