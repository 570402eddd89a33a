"""Days, weeks and months of the installation's zone, as the database groups by them.

A bucket starts at a local midnight, so a day over a clock change has 23 or 25 hours.
"""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Case, IntegerField, Value, When
from django.db.models.expressions import Expression

MOST = 400
"""More points than this no chart shows side by side; the oldest are left out."""


def bucket_of(moment: datetime, kind: str) -> date:
    """The first day of the bucket that holds a moment."""
    return bucket_start(moment.astimezone(ZoneInfo(settings.TIME_ZONE)).date(), kind)


def bucket_start(day: date, kind: str) -> date:
    """The first day of the bucket that holds a day."""
    if kind == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if kind == "month" else day


def next_bucket(start: date, kind: str) -> date:
    if kind == "month":
        return (start + timedelta(days=31)).replace(day=1)
    return start + timedelta(days=7 if kind == "week" else 1)


def buckets_between(first: datetime, last: datetime, kind: str) -> list[date]:
    """Every bucket from first to last, empty ones too, at most the last MOST."""
    return bucket_range(bucket_of(first, kind), bucket_of(last, kind), kind)


def bucket_range(first: date, last: date, kind: str) -> list[date]:
    """As `buckets_between`, from the start of the first to that of the last."""
    found = [first]
    while found[-1] < last:
        found.append(next_bucket(found[-1], kind))
    return found[-MOST:]


def midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, ZoneInfo(settings.TIME_ZONE))


def bucket_number(starts: Sequence[date], column: str = "answered_at") -> Expression:
    """The index of the bucket that a moment of a row lies in, found by halving.

    Moments before the first start count as 0: filter them out.
    """

    def between(low: int, high: int) -> Expression:
        if low == high:
            return Value(low, output_field=IntegerField())
        middle = (low + high + 1) // 2
        is_before = {f"{column}__lt": midnight(starts[middle])}
        return Case(
            When(**is_before, then=between(low, middle - 1)),
            default=between(middle, high),
            output_field=IntegerField(),
        )

    return between(0, len(starts) - 1)
