def offset(page):
<<<<<<< ours
    # Pages are counted from 1.
||||||| base
    # Pages start at 1.
=======
    # The first page is 1.
>>>>>>> theirs
    return (page - 1) * SIZE
