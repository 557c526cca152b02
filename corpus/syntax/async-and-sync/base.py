def pull(client, key):
    value = client.get(key)
    return decode(value)
