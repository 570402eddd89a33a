"""What the stand-in remembers: scripts to follow, what was asked, what is in flight.

Everything here is changed over the control endpoints and emptied by a reset.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from random import Random
from typing import Any

from judgeweb.standin.rules import ApiError

REQUESTS_KEPT = 5_000
# Below its floor a prefix is not cached and nothing is said of it (tokens).
CACHE_FLOOR = 1_024
CACHE_FLOORS = {"claude-opus-5": 512, "claude-haiku-4-5": 4_096, "claude-opus-4-5": 4_096}


@dataclass
class Settings:
    """Shares are per request, drawn from a generator that a reset seeds anew. `fault_headers`
    go with each drawn fault, for instance {"retry-after": "1"}."""

    latency_ms: float = 0
    fault_share: float = 0
    fault_status: int = 429
    fault_headers: dict[str, str] = field(default_factory=dict)
    garbage_share: float = 0


@dataclass
class Fault:
    """One scripted answer that is no reply. `drop` cuts the connection, `body` is sent as it
    is (with status 200 unless given)."""

    status: int = 529
    message: str = "scripted"
    kind: str = ""
    code: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    delay_ms: float = 0
    drop: bool = False
    body: str | None = None

    def error(self) -> ApiError:
        return ApiError(self.status, self.message, self.kind, self.code, self.headers)


def known(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Raise ValueError for a name that `kind` does not have: a typo in a test must not pass."""
    names = {one.name for one in fields(kind)}
    if unknown := set(values) - names:
        raise ValueError(f"unknown {sorted(unknown)}; {kind.__name__} has {sorted(names)}")
    return dict(values)


class State:
    """One server's memory. `standing` are the settings it was started with."""

    def __init__(self, standing: Settings) -> None:
        self.standing = standing
        self.reset()

    def reset(self) -> None:
        self.settings = Settings(**vars(self.standing))
        self.faults: deque[Fault] = deque()
        self.replies: deque[dict[str, Any]] = deque()
        self.requests: deque[tuple[float, bytes, bytes]] = deque(maxlen=REQUESTS_KEPT)
        self.statuses: Counter[int] = Counter()
        self.received = 0
        self.in_flight = 0
        self.max_in_flight = 0
        self._cached_until: dict[bytes, float] = {}
        self._random = Random(1)

    def entered(self, authorization: bytes, body: bytes) -> None:
        self.received += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self.requests.append((time.time(), authorization, body))

    def left(self, status: int) -> None:
        # A reset may have happened in between.
        self.in_flight = max(0, self.in_flight - 1)
        self.statuses[status] += 1

    def next_fault(self) -> Fault | None:
        if self.faults:
            return self.faults.popleft()
        if self.settings.fault_share and self._random.random() < self.settings.fault_share:
            settings = self.settings
            return Fault(settings.fault_status, "drawn", headers=settings.fault_headers)
        return None

    def draws_garbage(self) -> bool:
        share = self.settings.garbage_share
        return bool(share) and self._random.random() < share

    def cached(self, model: str, prefix: bytes, ttl: str) -> bool | None:
        """True where the prefix is read, False where it is written, None below the floor."""
        if len(prefix) // 4 < CACHE_FLOORS.get(model, CACHE_FLOOR):
            return None
        key = blake2b(prefix, digest_size=16).digest()
        now = time.monotonic()
        hit = self._cached_until.get(key, 0.0) > now
        self._cached_until[key] = now + (3_600 if ttl == "1h" else 300)
        return hit

    def stats(self) -> dict[str, Any]:
        return {
            "requests": self.received,
            "in_flight": self.in_flight,
            "max_in_flight": self.max_in_flight,
            "statuses": {str(status): n for status, n in sorted(self.statuses.items())},
            "faults_left": len(self.faults),
            "replies_left": len(self.replies),
        }
