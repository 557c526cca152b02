def offset(page):
    # The first page is 1.
    return (page - 1) * SIZE
