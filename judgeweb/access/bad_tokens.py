"""Tokens that are not in force, counted by address: who keeps sending them is told to wait.

The count lives in the cache of the web process; a restart forgets it and a second process counts
for itself. A token in force is never turned away: behind a proxy many clients share an address,
and secrets of 256 bits are not found by trying.
"""

import math
import time

from django.core.cache import cache

MOST = 30
WINDOW_S = 300


def wait_after(address: str) -> int:
    """Count one more bad token. Return the seconds to wait; 0 while there are few."""
    now = time.time()
    ends = (now // WINDOW_S + 1) * WINDOW_S
    key = f"bad-tokens:{ends:.0f}:{address}"
    cache.add(key, 0, timeout=WINDOW_S)
    try:
        count = cache.incr(key)
    except ValueError:  # A full cache has thrown it out.
        return 0
    return math.ceil(ends - now) if count > MOST else 0
