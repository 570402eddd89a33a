"""The one owner of the database in a drain: orders come in from the loop, go out in batches.

The thread that calls `run` writes; the loop lives in another thread and awaits its orders.
All orders that came in meanwhile are one transaction (a group commit), so that a hundred requests
in flight cost a few commits a second and none of them waits for more than one.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any, TypeVar

from django.db import OperationalError, transaction

logger = logging.getLogger(__name__)

LINGER_S = 0.02
"""How long the first order waits for others. Requests are written down ahead of their turn, so
this costs no rate."""
URGENT_S = 0.003
"""The same for orders that keep a place in flight: outcomes."""
MOST_ORDERS = 60
"""Keeps a transaction under 50 ms: others write to the same SQLite file meanwhile."""
TRIES = 4
TURN_S = 0.0005
"""The loop is busy most of the time, and after each of its twenty statements the writer waits for
its turn: at Python's own 5 ms a transaction takes twice as long, and outcomes wait for it."""

Kind = Callable[[Sequence[Any]], Sequence[Any]]
"""Carries out all orders of one kind in a batch, within a transaction; one answer per order."""

A = TypeVar("A")


@dataclass(eq=False, slots=True)
class _Order:
    kind: Kind
    value: Any
    future: asyncio.Future[Any]


@dataclass(eq=False)
class Writer:
    """Orders of one batch are carried out kind by kind, in the order in which the kinds were
    first asked for, so that a request is closed before its verdict is recorded. `beat` is called
    every `beat_s` in between: a loop that is busy must not lose what it holds."""

    beat: Callable[[], None]
    beat_s: float
    loop: asyncio.AbstractEventLoop | None = None
    _orders: deque[_Order] = field(default_factory=deque)
    _came: Event = field(default_factory=Event)
    _urgent: Event = field(default_factory=Event)
    _ended: bool = False
    _beaten_at: float = field(default_factory=time.monotonic)

    def order(self, kind: Kind, value: Any, *, urgent: bool = False) -> asyncio.Future[Any]:
        """Called in the loop. The future is done when the transaction has been committed."""
        assert self.loop is not None
        future: asyncio.Future[Any] = self.loop.create_future()
        self._orders.append(_Order(kind, value, future))
        self._came.set()
        if urgent:
            self._urgent.set()
        return future

    def end(self, _finished: Future[Any] | None = None) -> None:
        """No more orders will come: `run` returns when all have been carried out."""
        self._ended = True
        self._came.set()
        self._urgent.set()

    def run(self) -> None:
        while self._orders or not self._ended:
            if self._came.wait(self.beat_s):
                self._linger()
            self._beat_if_due()
            while self._orders:
                self._carry_out(self._next_batch())
                self._beat_if_due()

    def _linger(self) -> None:
        if self._urgent.wait(LINGER_S) and not self._ended:
            time.sleep(URGENT_S)
        self._urgent.clear()
        self._came.clear()

    def _beat_if_due(self) -> None:
        now = time.monotonic()
        if now - self._beaten_at >= self.beat_s:
            self._beaten_at = now
            self.beat()

    def refuse(self) -> None:
        """Tell everyone who waits that nothing will be written any more."""
        error = OperationalError("the writer has stopped")
        orders, self._orders = list(self._orders), deque()
        self._tell([(order.future, None, error) for order in orders])

    def _next_batch(self) -> list[_Order]:
        return [self._orders.popleft() for _ in range(min(len(self._orders), MOST_ORDERS))]

    def _carry_out(self, batch: list[_Order]) -> None:
        by_kind: dict[Kind, list[_Order]] = {}
        for order in batch:
            by_kind.setdefault(order.kind, []).append(order)
        try:
            answers = _committed(by_kind)
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, OperationalError):
                # One order that cannot be carried out must not take the others with it.
                for order in batch:
                    self._carry_out([order])
                return
            # The waiting side must hear of it, whatever it is: else the drain never ends.
            self._tell([(order.future, None, error) for order in batch])
            return
        self._tell([(order.future, answer, None) for order, answer in answers])

    def _tell(self, answers: list[tuple[asyncio.Future[Any], Any, Exception | None]]) -> None:
        """One call into the loop for the whole batch."""
        assert self.loop is not None
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(_resolve, answers)


def run_beside(writer: Writer, main: Coroutine[Any, Any, A], abort: Callable[[], None]) -> A:
    """`main` in a loop and thread of its own, its writer here. `abort` is called where the writer
    cannot go on; it ends `main`."""
    with (
        _turns_of(TURN_S),
        ThreadPoolExecutor(1, thread_name_prefix="judging") as executor,
    ):
        finished = executor.submit(asyncio.run, main)
        finished.add_done_callback(writer.end)
        try:
            writer.run()
        except BaseException:
            abort()
            writer.refuse()
            raise
        return finished.result()


@contextmanager
def _turns_of(seconds: float) -> Iterator[None]:
    """How long a busy thread keeps the interpreter from others that want it."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def _committed(by_kind: dict[Kind, list[_Order]]) -> list[tuple[_Order, Any]]:
    """Deadlocks and lost races between workers are over after another try."""
    for attempt in range(1, TRIES + 1):
        try:
            with transaction.atomic():
                return [
                    pair
                    for kind, orders in by_kind.items()
                    for pair in zip(orders, kind([o.value for o in orders]), strict=True)
                ]
        except OperationalError:
            if attempt == TRIES:
                raise
            logger.warning("a batch is written again (try %d)", attempt, exc_info=True)
            time.sleep(0.05 * attempt)
    raise AssertionError("unreachable")


def _resolve(answers: list[tuple[asyncio.Future[Any], Any, Exception | None]]) -> None:
    for future, answer, error in answers:
        if future.done():
            continue
        if error is None:
            future.set_result(answer)
        else:
            future.set_exception(error)
