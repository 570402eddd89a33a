"""How many requests may be in flight: a limit that yields to refusals and comes back.

Source: additive-increase/multiplicative-decrease (Chiu and Jain 1989), TCP's one cut per window.
Differs from it: the cut is as deep as the share of the window's requests that were refused, so
that one refusal in twenty costs little and a closed door most of the limit; growth is by time
(doubling), so that it is as quick for slow judges as for fast ones.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

WINDOW_S = 1.0
# No window takes more than this share of the limit, however many refusals it holds, and
# FLOOR_SHARE of `most` always stays.
DEEPEST_CUT = 0.75
FLOOR_SHARE = 0.05
# A window's share is counted as if this many more had been accepted: one refusal is no trend.
DOUBT = 10
# While refusals still come the limit doubles in 2 s at best, after a quiet window in 1 s.
DOUBLING_S = 2.0
QUIET_DOUBLING_S = 1.0
# Weight of the newest outcome in the refused share: it looks back over about 20 requests.
WEIGHT = 0.05


class InFlight:
    """`most` is the limit set by hand; `limit` never exceeds it and never falls below 1.

    `enter` waits in order of arrival. All times are in seconds of `clock` (monotonic).
    """

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        if most < 1:
            raise ValueError(f"at least 1 request must be allowed in flight, not {most}")
        self.most = most
        self.in_flight = 0
        self.refused_share = 0.0
        self._clock = clock
        # What the limit is apart from the cut of the running window; in the window it grows on.
        self._uncut = float(most)
        self._window_at = self._refused_at = float("-inf")
        self._window_all = self._window_refused = 0
        self._grown_at = clock()
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        floor = max(1.0, FLOOR_SHARE * self.most)
        return int(max(floor, self._uncut * (1 - self._cut)))

    @property
    def _cut(self) -> float:
        return min(DEEPEST_CUT, self._window_refused / (self._window_all + DOUBT))

    async def enter(self) -> None:
        """Wait for a free slot and take it. Raise what `turn_away` is given meanwhile."""
        self._grow()
        if not self._waiting and self.in_flight < self.limit:
            self.in_flight += 1
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.leave()
            raise

    def leave(self) -> None:
        """Give a slot back and hand out what is free."""
        self._grow()
        self.in_flight -= 1
        while self._waiting and self.in_flight < self.limit:
            waiter = self._waiting.popleft()
            if not waiter.done():
                self.in_flight += 1
                waiter.set_result(None)

    def turn_away(self, error: Callable[[], Exception]) -> None:
        """Nobody will be let in for a while: raise in all that wait."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_exception(error())

    def accepted(self) -> None:
        self._grow()
        self.refused_share *= 1 - WEIGHT
        self._window_all += 1

    def refused(self) -> None:
        """A 429 or 529. The first opens a window, the others in it only make its cut exact."""
        self._grow()
        self.refused_share += WEIGHT * (1 - self.refused_share)
        now = self._refused_at = self._clock()
        if now - self._window_at >= WINDOW_S:
            self._window_at = now
            self._window_all = self._window_refused = 0
        self._window_all += 1
        self._window_refused += 1

    def _grow(self) -> None:
        """Let time pass: close a window that is over, then double towards `most`. Time in which
        nothing was in flight shows nothing and does not count."""
        now = self._clock()
        passed, self._grown_at = now - self._grown_at, now
        if self._window_refused and now - self._window_at >= WINDOW_S:
            self._uncut = float(max(1, self.limit))
            self._window_all = self._window_refused = 0
        if not self.in_flight:
            return
        if now - self._refused_at >= WINDOW_S:
            doublings = passed / QUIET_DOUBLING_S
        else:
            doublings = passed / DOUBLING_S * (1 - self.refused_share) ** 2
        self._uncut = min(float(self.most), self._uncut * 2.0**doublings)
