"""Keeps the sums under the boards in step with the verdicts.

Whoever puts verdicts of responses on a board, takes them off, or gives up one of their repeats
does so inside `sums.kept_in_step`, in one transaction: the sums change by what these runs came to
before and after. They can be made anew from the verdicts at any time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection

from judgeweb.judging.repeats import whole_sd
from judgeweb.judging.types import Flag
from verdicts_app.models import BoardSum, Response, Verdict
from verdicts_app.models.board_sum import UNIT, Span
from verdicts_app.work import sql
from verdicts_app.work.request import chunks
from verdicts_app.work.sum_rows import SumTable


class Cell(NamedTuple):
    """Where a run counts. `day` is the answer's, in the installation's zone."""

    epoch: int
    persona: int
    scenario: int
    model: str
    day: date


class Bucket(NamedTuple):
    """A row's key, in the order of its unique constraint: rows are always locked in this order."""

    epoch: int
    span: str
    start: date
    persona: int
    scenario: int
    model: str


@dataclass(slots=True)
class Figures:
    """What runs add to a cell, in the order of its columns; sums in 1/60 of 1e-9 points, `spread`
    in 1e-9 points."""

    runs: int = 0
    total: int = 0
    bare_runs: int = 0
    without_persona: int = 0
    verdicts: int = 0
    costed: int = 0
    cost_nano_usd: int = 0
    repeated_runs: int = 0
    spread: int = 0
    empty_runs: int = 0

    def add(self, other: Figures, sign: int = 1) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + sign * getattr(other, name))

    @property
    def may_stand_alone(self) -> bool:
        """Whether a row of just these keeps the constraints; else they change a row there is."""
        return (
            self.verdicts >= self.runs >= self.bare_runs >= 0
            and self.verdicts >= self.costed >= 0
            and self.runs >= self.repeated_runs >= 0
            and self.runs >= self.empty_runs >= 0
            and (self.spread == 0 or self.spread > 0 < self.repeated_runs)
            and self.runs > 0
        )


Run = tuple[int, int]
"""Epoch and response."""
Runs = Mapping[Run, tuple[Cell, Figures]]


@contextmanager
def kept_in_step(response_ids: Iterable[int]) -> Iterator[None]:
    """Around the writes, inside their transaction."""
    ids = sorted(set(response_ids))
    _lock(ids)
    before = runs_on_boards(ids)
    yield
    _apply(_changes(before, runs_on_boards(ids)))


def rebuild() -> None:
    BoardSum.objects.all().delete()
    TABLE.write(sums_of_verdicts(), astuple)


def sums_of_verdicts() -> dict[Bucket, Figures]:
    """The sums as the verdicts give them."""
    sums: dict[Bucket, Figures] = defaultdict(Figures)
    found = Verdict.objects.filter(on_board=True, response__isnull=False).order_by("response_id")
    ids = found.values_list("response_id", flat=True).distinct()
    for chunk in chunks(ids.iterator()):
        for cell, figures in runs_on_boards([pk for pk in chunk if pk is not None]).values():
            for bucket in buckets_of(cell):
                sums[bucket].add(figures)
    return dict(sums)


def stored_sums() -> dict[Bucket, Figures]:
    """The sums as they are stored; rows of nothing left out."""
    rows = ((Bucket(*key), Figures(*figures)) for key, figures in TABLE.stored())
    return {bucket: figures for bucket, figures in rows if figures.runs}


def _lock(response_ids: list[int]) -> None:
    """Nobody else changes what these runs come to until the transaction ends."""
    if not connection.features.has_select_for_update:
        return
    for chunk in chunks(response_ids):
        locked = Response.objects.select_for_update(no_key=True).filter(pk__in=chunk)
        list(locked.order_by("pk").values_list("pk"))


# --- what runs come to --------------------------------------------------------------------------

FIGURES = tuple(Figures.__slots__)
ON_BOARDS = """
SELECT verdict.epoch_id, verdict.response_id, verdict.persona_id, verdict.scenario_id,
    response.model, verdict.answered_at, verdict.total_nano, verdict.without_persona_nano,
    verdict.cost_nano_usd, verdict.flags
FROM verdicts_app_verdict verdict
JOIN verdicts_app_response response ON response.id = verdict.response_id
WHERE verdict.response_id IN ({ids}) AND verdict.on_board AND verdict.total_nano IS NOT NULL
    AND verdict.persona_id IS NOT NULL AND verdict.scenario_id IS NOT NULL
"""
UNJUDGED = """
SELECT epoch_id, response_id, repeat FROM verdicts_app_judgement
WHERE response_id IN ({ids}) AND state = 'unjudged'
"""


class _OnBoard(NamedTuple):
    epoch: int
    response: int
    persona: int
    scenario: int
    model: str
    answered_at: datetime
    total: int
    bare: int | None
    cost: int | None
    flags: str


def runs_on_boards(response_ids: Iterable[int]) -> Runs:
    """What each run of these responses adds to its cell."""
    found: dict[Run, list[_OnBoard]] = defaultdict(list)
    ids = list(response_ids)
    for chunk in chunks(ids):
        for row in map(_OnBoard._make, _of(chunk, ON_BOARDS)):
            found[row.epoch, row.response].append(row)
    if not found:
        return {}
    gone = _given_up(ids)
    zone = ZoneInfo(settings.TIME_ZONE)
    return {
        run: (_cell(verdicts[0], zone), _figures(verdicts))
        for run, verdicts in found.items()
        if 2 * len(verdicts) >= len(verdicts) + gone.get(run, 0)
    }


def _given_up(response_ids: list[int]) -> Mapping[Run, int]:
    """How many repeats of each run are unjudged and have no verdict on the board either: a run
    of which fewer than half the repeats are valid counts as unjudged."""
    repeats: dict[Run, set[int]] = defaultdict(set)
    for chunk in chunks(response_ids):
        for epoch, response, repeat in _of(chunk, UNJUDGED):
            repeats[epoch, response].add(repeat)
    if repeats:
        _leave_out_judged(repeats)
    return {run: len(numbers) for run, numbers in repeats.items()}


def _leave_out_judged(repeats: Mapping[Run, set[int]]) -> None:
    responses = {response for _, response in repeats}
    for chunk in chunks(sorted(responses)):
        judged = Verdict.objects.filter(response__in=chunk, on_board=True).order_by()
        for epoch, response, repeat in judged.values_list("epoch_id", "response_id", "repeat"):
            repeats.get((epoch, response or 0), set()).discard(repeat)


def _of(response_ids: list[int], statement: str) -> list[tuple[Any, ...]]:
    return sql.rows_of(statement.format(ids=sql.places(len(response_ids))), response_ids)


def _cell(verdict: _OnBoard, zone: ZoneInfo) -> Cell:
    day = sql.moment_of(verdict.answered_at).astimezone(zone).date()
    return Cell(verdict.epoch, verdict.persona, verdict.scenario, verdict.model, day)


def _figures(verdicts: list[_OnBoard]) -> Figures:
    totals = [verdict.total for verdict in verdicts]
    bare = [verdict.bare for verdict in verdicts if verdict.bare is not None]
    costs = [verdict.cost for verdict in verdicts if verdict.cost is not None]
    return Figures(
        runs=1,
        total=sum(totals) * UNIT // len(totals),
        bare_runs=1 if bare else 0,
        without_persona=sum(bare) * UNIT // len(bare) if bare else 0,
        verdicts=len(verdicts),
        costed=len(costs),
        cost_nano_usd=sum(costs),
        repeated_runs=1 if len(totals) > 1 else 0,
        spread=whole_sd(totals) if len(totals) > 1 else 0,
        empty_runs=1 if any(map(_is_empty, verdicts)) else 0,
    )


def _is_empty(verdict: _OnBoard) -> bool:
    return Flag.EMPTY_ANSWER in verdict.flags.split(",")


# --- what changes -------------------------------------------------------------------------------


def _changes(before: Runs, after: Runs) -> dict[Cell, Figures]:
    changes: dict[Cell, Figures] = defaultdict(Figures)
    for run in before.keys() | after.keys():
        old, new = before.get(run), after.get(run)
        if old == new:
            continue
        if old:
            changes[old[0]].add(old[1], -1)
        if new:
            changes[new[0]].add(new[1])
    return changes


def buckets_of(cell: Cell) -> Iterator[Bucket]:
    for span, start in starts_of(cell.day):
        yield Bucket(cell.epoch, span, start, cell.persona, cell.scenario, cell.model)


def starts_of(day: date) -> Iterator[tuple[str, date]]:
    """The buckets that hold a day: span and first day."""
    yield Span.ALL.value, date.min
    yield Span.MONTH.value, day.replace(day=1)
    yield Span.WEEK.value, day - timedelta(days=day.weekday())
    yield Span.DAY.value, day


TABLE = SumTable(
    BoardSum,
    keys=("epoch_id", "span", "start", "persona_id", "scenario_id", "model"),
    totals=FIGURES,
)


def _apply(changes: Mapping[Cell, Figures]) -> None:
    sums: dict[Bucket, Figures] = defaultdict(Figures)
    for cell, figures in changes.items():
        for bucket in buckets_of(cell):
            sums[bucket].add(figures)
    TABLE.write(sums, astuple)
