def retry(error, attempt):
    if attempt < 5:
        return True
    return False
