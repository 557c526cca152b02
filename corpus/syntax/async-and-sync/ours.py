async def pull(client, key):
    value = await client.get(key)
    return decode(value)
