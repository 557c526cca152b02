def fetch(url):
    try:
        response = session.get(url, timeout=5)
    except Timeout:
        return None
    return response.json()
