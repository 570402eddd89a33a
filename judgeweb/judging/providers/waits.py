"""How long to wait before a request is made again. Seconds throughout, clock and chance given.

Source: AWS Architecture Blog, "Exponential Backoff And Jitter" (full jitter).
Differs from it: a `retry-after` is a floor, so its jitter lies above the given value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime

BASE_S = 0.5
CAP_S = 30.0
# Beyond this a header is taken for a mistake; the job is shown as waiting meanwhile.
RETRY_AFTER_CAP_S = 600.0
# Waits after a `retry-after` are spread over this share of it, at least SPREAD_FLOOR_S.
SPREAD = 0.2
SPREAD_FLOOR_S = 0.1


def retry_after_seconds(value: str | None, now: float) -> float | None:
    """Read a `retry-after` header: seconds or an HTTP date. `now` is in epoch seconds.

    Return None for what gives no wait (absent, past, zero, negative, NaN, garbage): the caller
    backs off by itself. Never more than RETRY_AFTER_CAP_S.
    """
    text = (value or "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        date = http_date(text)
        if date is None:
            return None
        seconds = date - now
    if math.isnan(seconds) or seconds <= 0:
        return None
    return min(seconds, RETRY_AFTER_CAP_S)


def http_date(text: str) -> float | None:
    """Epoch seconds, or None where it is no date. A date without a zone is GMT."""
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return date.timestamp()


def backoff_s(failures: int, chance: Callable[[], float]) -> float:
    """Full jitter: anywhere in [0, min(cap, base * 2^(failures - 1))). `failures` from 1."""
    doublings = float(min(failures - 1, 16))
    return chance() * min(CAP_S, BASE_S * 2**doublings)


def wait_s(retry_after_s: float | None, failures: int, chance: Callable[[], float]) -> float:
    """The wait before the next request of one item: own back-off, or `retry_after_s` and some
    jitter on top, so that those told the same do not come back together."""
    if retry_after_s is None:
        return backoff_s(failures, chance)
    return retry_after_s + chance() * max(SPREAD_FLOOR_S, SPREAD * retry_after_s)
