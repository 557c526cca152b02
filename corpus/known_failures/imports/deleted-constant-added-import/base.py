import asyncio

WORKERS = 4


async def main():
    await asyncio.sleep(0)
