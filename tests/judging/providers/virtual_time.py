"""Time that passes at once: sleepers are woken in order, whenever nothing else can happen."""

import asyncio
import heapq
from collections.abc import Awaitable
from itertools import count
from typing import Any, TypeVar

T = TypeVar("T")
# Enough turns of the loop for everything that does not sleep to come to rest.
TURNS = 60


class VirtualTime:
    """`clock` and `sleep` to be injected, `run` to drive them. `slept` keeps every wait."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        woken = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._numbers), woken))
        await woken

    async def all(self, *work: Awaitable[T]) -> list[T | BaseException]:
        """Results in order, exceptions among them."""
        whole = asyncio.ensure_future(asyncio.gather(*work, return_exceptions=True))
        while not whole.done():
            for _ in range(TURNS):
                await asyncio.sleep(0)
            if self._sleepers and not whole.done():
                self.now, _, woken = heapq.heappop(self._sleepers)
                if not woken.done():
                    woken.set_result(None)
        return await whole

    def run(self, *work: Awaitable[Any]) -> list[Any]:
        return asyncio.run(self.all(*work))
