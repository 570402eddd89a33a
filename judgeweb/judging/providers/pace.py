"""The one owner of retries (R6): when a request is made again, how many at once, when not at all.

`Pace` is shared by all items of one worker loop, `PacedAsk` asks for one judgement. No SDK, no
Django. Clock, sleep and chance are given, so that tests need no time.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from judgeweb.judging.errors import JudgeFault, ProviderBusy, ProviderError
from judgeweb.judging.providers.breaker import OVERLOADED, Breaker, is_outage
from judgeweb.judging.providers.limiter import InFlight
from judgeweb.judging.providers.waits import retry_after_seconds, wait_s
from judgeweb.judging.types import Prompt, Reply, Turn

__all__ = ["Ledger", "Pace", "PacedAsk", "Send", "retry_after_seconds"]

MAX_ATTEMPTS = 5
# A judge that asks for a longer pause is waited for by the job, not by a process.
PATIENCE_S = 60.0
# Rows are opened for this many times the requests in flight, so that none waits for its row.
PLACES = 2
# Where more than this share is refused, all hold back, not only those that were refused.
SHUT_SHARE = 0.5

Token = TypeVar("Token")
Send = Callable[[Prompt, tuple[Turn, ...], int], Awaitable[Reply]]
Take = Callable[[], Awaitable[None]]


class Ledger(Protocol[Token]):
    """Where requests are written down, before they are sent and after.

    `opened` may raise to forbid a request (budget, cancelled job); that error passes through.
    `closed` is called once for every token whose request came to an end. A cancelled request
    has no known end: its row stays open.
    """

    async def opened(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Token: ...

    async def closed(self, token: Token, came: Reply | ProviderError) -> None: ...


class Pace:
    """Limits, breaker and waits of one worker loop towards one judge.

    `most` requests in flight at once. `patience_s`: longer waits end in a JudgeFault that
    carries the wait as `retry_after_s`.
    """

    def __init__(
        self,
        most: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        patience_s: float = PATIENCE_S,
        breaker: Breaker | None = None,
    ) -> None:
        self.in_flight = InFlight(most, clock)
        self.breaker = breaker or Breaker(clock)
        self.patience_s = patience_s
        self._places = asyncio.Semaphore(PLACES * most)
        self._clock = clock
        self._sleep = sleep
        self._chance = chance
        self._hold_until = float("-inf")

    @property
    def hold_s(self) -> float:
        """Seconds until new requests are sent again; 0 in ordinary times."""
        return max(0.0, self._hold_until - self._clock())

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Be among those whose request is written down. Raise JudgeFault while down."""
        async with self._places:
            while (hold_s := self.hold_s) > 0:
                await self._pause(hold_s, wait_s(hold_s, 1, self._chance))
            if self.breaker.is_open:
                self.breaker.admit()
            yield

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Be in flight. Raise JudgeFault where the endpoint went down while waiting."""
        await self.in_flight.enter()
        try:
            yield
        finally:
            self.in_flight.leave()

    def learn(self, came: Reply | ProviderError, *, last_attempt: bool = False) -> None:
        """Every outcome, once: it moves the limit and the breaker."""
        if isinstance(came, ProviderBusy) and is_outage(came):
            self.breaker.failed(last_attempt=last_attempt)
            if self.breaker.is_open:
                self.in_flight.turn_away(self.breaker.fault)
            return
        if isinstance(came, Reply):
            self.in_flight.accepted()
        elif came.status is None:
            return  # it was never sent
        elif came.status in OVERLOADED:
            self.in_flight.refused()
        self.breaker.answered()

    async def rest(self, busy: ProviderBusy, failures: int) -> None:
        """Wait before the next request of an item that failed `failures` times in a row.
        Raise JudgeFault where the wait is beyond patience."""
        seconds = wait_s(busy.retry_after_s, failures, self._chance)
        floor = seconds if busy.retry_after_s is None else busy.retry_after_s
        if self.in_flight.refused_share > SHUT_SHARE:
            self._hold_until = max(self._hold_until, self._clock() + floor)
        await self._pause(floor, seconds)

    async def _pause(self, floor_s: float, seconds: float) -> None:
        """Sleep `seconds`, of which `floor_s` are asked for and the rest is spread."""
        if floor_s > self.patience_s:
            raise JudgeFault(
                f"the judge asks to be left alone for {floor_s:.0f} s",
                status=429,
                code="long_wait",
                retry_after_s=floor_s,
            )
        await self._sleep(seconds)


async def _no_place() -> None:
    """Nothing is held from one request of a judgement to its next."""


class PacedAsk:
    """`Ask` for ONE judgement. At most `max_attempts` requests per prompt label in all, re-asks
    included; `spent` counts those of earlier claims of the same judgement. `take_place` waits for
    what the judgement keeps over several requests; taken twice, it is held once."""

    def __init__(
        self,
        send: Send,
        pace: Pace,
        ledger: Ledger[Token],
        max_attempts: int = MAX_ATTEMPTS,
        spent: Mapping[str, int] | None = None,
        take_place: Take = _no_place,
    ) -> None:
        self._take_place = take_place
        self._send = send
        self._pace = pace
        self._ledger = ledger
        self._max_attempts = max_attempts
        self._made = Counter(spent or {})

    def left(self, label: str) -> int:
        """Requests that the prompt of this label may still make."""
        return max(0, self._max_attempts - self._made[label])

    async def __call__(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
        """Raise ProviderBusy when the attempts are used up, JudgeFault, ItemFault, or what the
        ledger raises."""
        failures = 0
        if not self.left(prompt.label):
            raise self._used_up(prompt, "no reply could be taken")
        while True:
            try:
                return await self._once(prompt, turns, max_tokens)
            except ProviderBusy as busy:
                failures += 1
                if is_outage(busy) and self._pace.breaker.is_open:
                    raise self._pace.breaker.fault() from busy
                if not self.left(prompt.label):
                    raise self._used_up(prompt, busy.message) from busy
                await self._pace.rest(busy, failures)

    async def _once(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
        came: Reply | ProviderError
        async with self._pace.place():
            token = await self._ledger.opened(prompt, turns, max_tokens)
            try:
                # Before the slot: judgements that hold a place wait for slots, so one that holds
                # a slot must never wait for a place.
                await self._take_place()
                async with self._pace.slot():
                    self._made[prompt.label] += 1
                    came = await self._send(prompt, turns, max_tokens)
            except ProviderError as error:
                came = error
        self._pace.learn(came, last_attempt=not self.left(prompt.label))
        await self._ledger.closed(token, came)
        if isinstance(came, ProviderError):
            raise came
        return came

    def _used_up(self, prompt: Prompt, why: str) -> ProviderBusy:
        return ProviderBusy(
            f"{self._max_attempts} requests were made for the prompt {prompt.label!r}; the last "
            f"one: {why}",
            code="attempts_used_up",
        )
