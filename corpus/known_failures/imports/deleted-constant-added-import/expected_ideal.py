import asyncio

from app.queue import (
    Consumer,
    Producer,
)


async def main():
    await asyncio.gather(Consumer().run(), Producer().run())
