def retry(error, attempt):
    if attempt < 3 and error.transient:
        return True
    return False
