import asyncio
<<<<<<< ours
||||||| base

WORKERS = 4
=======

from app.queue import (
    Consumer,
    Producer,
)

WORKERS = 4
>>>>>>> theirs


async def main():
    await asyncio.gather(Consumer().run(), Producer().run())
