def retry(error, attempt):
    if attempt < 3:
        return True
    return False
