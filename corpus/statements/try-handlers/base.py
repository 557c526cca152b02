def fetch(url):
    try:
        response = session.get(url)
    except Timeout:
        return None
    return response.json()
