"""Keeps the sums under the boards of captured calls in step with the verdicts on them.

A verdict never changes but for leaving the board, so what a transaction changes is told by which
verdicts count before and after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from operator import attrgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection

from verdicts_app.models import CallSum, Capture, Verdict, VerdictCheck
from verdicts_app.models.call_sum import FAILED, UNDECIDED
from verdicts_app.work import capture_sums
from verdicts_app.work.board_sums import starts_of
from verdicts_app.work.request import CALLS, chunks
from verdicts_app.work.sum_rows import SumTable

NEVER = datetime(1, 1, 1, tzinfo=UTC)


class Cell(NamedTuple):
    """Where a verdict counts. 0: no system prompt, no contract. `day` is the call's."""

    epoch: int
    run: int
    call_type: str
    system_prompt: int
    model: str
    contract: int
    day: date


class Bucket(NamedTuple):
    """A row's key, in the order in which rows are locked."""

    epoch: int
    span: str
    start: date
    run: int
    call_type: str
    system_prompt: int
    model: str
    contract: int


@dataclass(slots=True)
class Figures:
    """What verdicts add to a cell, in the order of its columns."""

    verdicts: int = 0
    passed: int = 0
    undecided: int = 0
    schema_failed: int = 0
    schema_undecided: int = 0
    factual_failed: int = 0
    factual_undecided: int = 0
    hallucination_failed: int = 0
    hallucination_undecided: int = 0
    newest_at: datetime = NEVER
    newest_verdict: int = 0

    def add(self, other: Figures, sign: int = 1) -> None:
        """What is taken off takes no newest verdict with it."""
        for name in TOTALS:
            setattr(self, name, getattr(self, name) + sign * getattr(other, name))
        if sign > 0:
            self.newest_at = max(self.newest_at, other.newest_at)
            self.newest_verdict = max(self.newest_verdict, other.newest_verdict)

    @property
    def may_stand_alone(self) -> bool:
        pairs = [
            (self.passed, self.undecided),
            (self.schema_failed, self.schema_undecided),
            (self.factual_failed, self.factual_undecided),
            (self.hallucination_failed, self.hallucination_undecided),
        ]
        return self.verdicts > 0 and all(
            min(pair) >= 0 and self.verdicts >= sum(pair) for pair in pairs
        )


FIGURES = tuple(Figures.__slots__)
TOTALS = FIGURES[:-2]
TABLE = SumTable(
    CallSum,
    keys=(
        *("epoch_id", "span", "start", "run_id", "call_type", "system_prompt_id", "model"),
        "contract_revision_id",
    ),
    totals=TOTALS,
    highest=FIGURES[-2:],
    optional=frozenset({"system_prompt_id", "contract_revision_id"}),
    is_empty=f"{CallSum._meta.db_table}.verdicts = 0",
)
values_of: Callable[[Figures], tuple[object, ...]] = attrgetter(*FIGURES)


@contextmanager
def kept_in_step(capture_ids: Iterable[int]) -> Iterator[None]:
    """Around the writes, inside their transaction."""
    ids = sorted(set(capture_ids))
    _lock(ids)
    before = _live(ids)
    yield
    after = _live(ids)
    _apply(before.counted, after.counted)
    capture_sums.change_judged(after.captures - before.captures, before.captures - after.captures)


def rebuild() -> None:
    CallSum.objects.all().delete()
    TABLE.write(sums_of_verdicts(), values_of)


def sums_of_verdicts() -> dict[Bucket, Figures]:
    """The sums as the verdicts give them."""
    counted = Verdict.objects.filter(
        capture__isnull=False, on_board=True, mode=CALLS, repeat=1
    ).order_by("pk")
    sums: dict[Bucket, Figures] = defaultdict(Figures)
    for ids in chunks(counted.values_list("pk", flat=True).iterator(chunk_size=2000)):
        _add_up(sums, _counted(ids).values())
    return dict(sums)


def stored_sums() -> dict[Bucket, Figures]:
    """The sums as they are stored; rows of nothing left out."""
    rows = ((Bucket(*key), Figures(*figures)) for key, figures in TABLE.stored())
    return {bucket: figures for bucket, figures in rows if figures.verdicts}


@dataclass(slots=True)
class _Live:
    """Verdicts that count, and captures that have any live verdict."""

    counted: set[int]
    captures: set[int]


def _lock(capture_ids: list[int]) -> None:
    """Nobody else changes what these captures come to until the transaction ends."""
    if not connection.features.has_select_for_update:
        return
    for chunk in chunks(capture_ids):
        locked = Capture.objects.select_for_update(no_key=True).filter(pk__in=chunk)
        list(locked.order_by("pk").values_list("pk"))


def _live(capture_ids: list[int]) -> _Live:
    found = _Live(set(), set())
    for chunk in chunks(capture_ids):
        live = Verdict.objects.filter(capture_id__in=chunk, superseded_at__isnull=True).order_by()
        columns = ("pk", "capture_id", "on_board", "mode", "repeat")
        for pk, capture, on_board, mode, repeat in live.values_list(*columns):
            found.captures.add(capture or 0)
            if on_board and mode == CALLS and repeat == 1:
                found.counted.add(pk)
    return found


def _counted(verdict_ids: Iterable[int]) -> dict[int, tuple[Cell, Figures]]:
    """What each verdict adds to its cell."""
    zone = ZoneInfo(settings.TIME_ZONE)
    columns = (
        *("pk", "epoch_id", "capture__run_id", "capture__call_type", "capture__system_prompt_id"),
        *("capture__model", "judgement__contract_revision_id", "answered_at", "passed"),
    )
    found: dict[int, tuple[Cell, Figures]] = {}
    for chunk in chunks(verdict_ids):
        verdicts = Verdict.objects.filter(pk__in=chunk).order_by().values_list(*columns)
        for pk, epoch, run, call_type, prompt, model, contract, at, passed in verdicts:
            day = at.astimezone(zone).date()
            cell = Cell(epoch, run or 0, call_type, prompt or 0, model, contract or 0, day)
            figures = Figures(1, int(passed is True), int(passed is None))
            figures.newest_at, figures.newest_verdict = at, pk
            found[pk] = (cell, figures)
        _count_checks(chunk, found)
    return found


def _count_checks(verdict_ids: list[int], found: Mapping[int, tuple[Cell, Figures]]) -> None:
    """Those that hold are the many; they follow from the others."""
    checks = VerdictCheck.objects.filter(verdict_id__in=verdict_ids).exclude(ok=True).order_by()
    for pk, key, ok in checks.values_list("verdict_id", "key", "ok"):
        column = (UNDECIDED if ok is None else FAILED).get(key)
        if column:
            setattr(found[pk][1], column, 1)


def _add_up(
    sums: dict[Bucket, Figures], counted: Iterable[tuple[Cell, Figures]], sign: int = 1
) -> None:
    for cell, figures in counted:
        for span, start in starts_of(cell.day):
            sums[Bucket(cell.epoch, span, start, *cell[1:-1])].add(figures, sign)


def _apply(before: set[int], after: set[int]) -> None:
    if before == after:
        return
    figures = _counted(sorted(before ^ after))
    sums: dict[Bucket, Figures] = defaultdict(Figures)
    _add_up(sums, (figures[pk] for pk in before - after), -1)
    _add_up(sums, (figures[pk] for pk in after - before))
    TABLE.write(sums, values_of)
