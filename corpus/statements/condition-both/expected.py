def retry(error, attempt):
<<<<<<< ours
    if attempt < 5:
||||||| base
    if attempt < 3:
=======
    if attempt < 3 and error.transient:
>>>>>>> theirs
        return True
    return False
