import asyncio

from app.queue import (
    Consumer,
    Producer,
)

WORKERS = 4


async def main():
    await asyncio.gather(Consumer().run(), Producer().run())
