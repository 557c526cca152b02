def fetch(url):
    try:
        response = session.get(url, timeout=5)
    except Timeout:
        return None
    except ConnectionError:
        raise Unavailable(url)
    return response.json()
