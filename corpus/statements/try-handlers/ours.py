def fetch(url):
    try:
        response = session.get(url)
    except Timeout:
        return None
    except ConnectionError:
        raise Unavailable(url)
    return response.json()
