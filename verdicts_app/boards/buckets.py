"""Days, weeks and months of the installation's zone, as the kept sums are parted by them."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Protocol, TypeVar

from verdicts_app.boards.epochs import EpochOnBoard

MOST = 400
"""More points than this no chart shows side by side; the oldest are left out."""


def bucket_start(day: date, kind: str) -> date:
    """The first day of the bucket that holds a day."""
    if kind == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if kind == "month" else day


def next_bucket(start: date, kind: str) -> date:
    if kind == "month":
        return (start + timedelta(days=31)).replace(day=1)
    return start + timedelta(days=7 if kind == "week" else 1)


def bucket_range(first: date, last: date, kind: str) -> list[date]:
    """Every bucket from the first's start to the last's, empty ones too, at most the last MOST."""
    found = [first]
    while found[-1] < last:
        found.append(next_bucket(found[-1], kind))
    return found[-MOST:]


def last_day(buckets: Sequence[date], kind: str) -> date:
    """The last day that the newest bucket holds."""
    return next_bucket(buckets[-1], kind) - timedelta(days=1)


class OfEpoch(Protocol):
    @property
    def epoch(self) -> EpochOnBoard: ...


P = TypeVar("P", bound=OfEpoch)


def segments_of(points: Iterable[P | None]) -> list[list[P]]:
    """Runs of neighbouring buckets of one epoch: what a line may connect."""
    found: list[list[P]] = []
    before: P | None = None
    for point in points:
        if point is not None:
            if before is not None and before.epoch == point.epoch:
                found[-1].append(point)
            else:
                found.append([point])
        before = point
    return found
