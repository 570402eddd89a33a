"""Decides whether the endpoint is down: then work waits instead of using up its attempts.

Source: Nygard, "Release It!", circuit breaker.
Differs from it: a burst of failures at one instant (many requests in flight) is one event; it
takes FAILURES in a row that also lie SPAN_S apart, or one prompt that had no other answer.
"""

from __future__ import annotations

from collections.abc import Callable

from judgeweb.judging.errors import JudgeFault, ProviderBusy

FAILURES = 5
SPAN_S = 1.0
OPEN_S = 15.0
OVERLOADED = frozenset({429, 529})


def is_outage(busy: ProviderBusy) -> bool:
    """No answer at all, or a server error. An overloaded or rate-limiting endpoint is up."""
    return busy.status is None or (busy.status >= 500 and busy.status not in OVERLOADED)


class Breaker:
    """Closed: all pass. Open: none pass for OPEN_S. Then one passes as a trial every OPEN_S,
    until one gets an answer. Times are in seconds of `clock` (monotonic)."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        failures: int = FAILURES,
        span_s: float = SPAN_S,
        open_s: float = OPEN_S,
    ) -> None:
        self.failures = failures
        self.span_s = span_s
        self.open_s = open_s
        self._clock = clock
        self._in_a_row = 0
        self._first_at = 0.0
        self._open_until: float | None = None

    @property
    def is_open(self) -> bool:
        """True until a trial was answered, also while a trial is due."""
        return self._open_until is not None

    def admit(self) -> None:
        """Raise JudgeFault while open. Where a trial is due, the caller is the trial."""
        if self._open_until is None:
            return
        now = self._clock()
        if now < self._open_until:
            raise self.fault()
        self._open_until = now + self.open_s

    def fault(self) -> JudgeFault:
        wait_s = max(0.0, (self._open_until or 0.0) - self._clock())
        return JudgeFault(
            f"endpoint is down: {self._in_a_row} failures in a row and no answer",
            code="endpoint_down",
            retry_after_s=wait_s,
        )

    def answered(self) -> None:
        """Anything that shows the endpoint to be up, a refusal included."""
        self._in_a_row = 0
        self._open_until = None

    def failed(self, *, last_attempt: bool = False) -> None:
        """`last_attempt`: the prompt has no request left, so nothing is gained by waiting for
        the failures to spread out."""
        now = self._clock()
        if self._in_a_row == 0:
            self._first_at = now
        self._in_a_row += 1
        lasted = last_attempt or now - self._first_at >= self.span_s
        if self.is_open or (self._in_a_row >= self.failures and lasted):
            self._open_until = now + self.open_s
