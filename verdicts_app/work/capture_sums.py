"""Keeps what runs show of their captures added up, from the transaction that stores them.

A capture never changes and never goes, so sums only grow; but for `judged`, which follows the
live verdicts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from operator import attrgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from verdicts_app.models import Capture, CaptureSum, Verdict
from verdicts_app.work.request import chunks
from verdicts_app.work.sum_rows import SumTable


class Bucket(NamedTuple):
    """A row's key, in the order in which rows are locked. 0: no system prompt."""

    run: int
    call_type: str
    system_prompt: int
    model: str
    is_failure: bool
    failure_kind: str
    day: date


@dataclass(slots=True)
class Figures:
    """What captures add to a row, in the order of its columns."""

    captures: int
    timed: int
    judged: int
    last_at: datetime
    last_upload: datetime
    first_at: datetime

    def add(self, other: Figures) -> None:
        self.captures += other.captures
        self.timed += other.timed
        self.judged += other.judged
        self.last_at = max(self.last_at, other.last_at)
        self.last_upload = max(self.last_upload, other.last_upload)
        self.first_at = min(self.first_at, other.first_at)

    @property
    def may_stand_alone(self) -> bool:
        return True


FIGURES = tuple(Figures.__slots__)
TABLE = SumTable(
    CaptureSum,
    keys=(
        *("run_id", "call_type", "system_prompt_id", "model", "is_failure", "failure_kind"),
        "day",
    ),
    totals=FIGURES[:3],
    highest=FIGURES[3:5],
    lowest=FIGURES[5:],
    optional=frozenset({"system_prompt_id"}),
)
JUDGED = SumTable(CaptureSum, TABLE.keys, totals=("judged",), optional=TABLE.optional)
values_of: Callable[[Figures], tuple[object, ...]] = attrgetter(*FIGURES)


class Stored(NamedTuple):
    """What of a stored capture is added up, in the order of COLUMNS."""

    run: int
    call_type: str
    system_prompt: int | None
    model: str
    success: bool | None
    failure_kind: str
    latency_ms: float | None
    at: datetime | None
    uploaded_at: datetime


COLUMNS = (
    *("run_id", "call_type", "system_prompt_id", "model", "success", "failure_kind"),
    *("latency_ms", "at", "uploaded_at"),
)


def add(captures: Iterable[Stored]) -> None:
    """Those just stored, which nobody has judged; inside their transaction."""
    sums: dict[Bucket, Figures] = {}
    zone = ZoneInfo(settings.TIME_ZONE)
    for capture in captures:
        _add_to(sums, capture, zone)
    TABLE.write(sums, values_of)


def _add_to(sums: dict[Bucket, Figures], one: Stored, zone: ZoneInfo, judged: int = 0) -> None:
    at = one.at or one.uploaded_at
    timed = int(one.latency_ms is not None)
    bucket = _bucket(one, zone)
    known = sums.get(bucket)
    figures = Figures(1, timed, judged, at, one.uploaded_at, at)
    if known is None:
        sums[bucket] = figures
    else:
        known.add(figures)


def _bucket(one: Stored, zone: ZoneInfo) -> Bucket:
    return Bucket(
        one.run,
        one.call_type,
        one.system_prompt or 0,
        one.model,
        bool(one.failure_kind) or one.success is False,
        one.failure_kind,
        (one.at or one.uploaded_at).astimezone(zone).date(),
    )


@dataclass(slots=True)
class _Judged:
    number: int = 0

    @property
    def may_stand_alone(self) -> bool:
        return False


def change_judged(more: Iterable[int], fewer: Iterable[int]) -> None:
    """These captures have a live verdict now, those have none any more."""
    changes: dict[Bucket, _Judged] = defaultdict(_Judged)
    zone = ZoneInfo(settings.TIME_ZONE)
    for ids, sign in ((more, 1), (fewer, -1)):
        for chunk in chunks(sorted(ids)):
            for row in Capture.objects.filter(pk__in=chunk).order_by().values_list(*COLUMNS):
                changes[_bucket(Stored(*row), zone)].number += sign
    JUDGED.write(changes, lambda change: (change.number,))


def rebuild() -> None:
    CaptureSum.objects.all().delete()
    TABLE.write(sums_of_captures(), values_of)


def sums_of_captures() -> dict[Bucket, Figures]:
    """The sums as captures and verdicts give them."""
    zone = ZoneInfo(settings.TIME_ZONE)
    sums: dict[Bucket, Figures] = {}
    rows = _with_judged().values_list(*COLUMNS, "is_judged")
    for *row, is_judged in rows.iterator(chunk_size=2000):
        _add_to(sums, Stored(*row), zone, int(is_judged))
    return sums


def _with_judged() -> QuerySet[Capture]:
    live = Verdict.objects.filter(capture=OuterRef("pk"), superseded_at__isnull=True)
    return Capture.objects.order_by("pk").annotate(is_judged=Exists(live))


def stored_sums() -> dict[Bucket, Figures]:
    """The sums as they are stored."""
    return {Bucket(*key): Figures(*figures) for key, figures in TABLE.stored()}
