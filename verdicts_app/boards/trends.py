"""Mean total per persona over time, one point per day, week or month of the installation's zone.

Time is the answer's own. A point is the mean over scenarios of the mean over runs, from one epoch
alone: where a bucket holds verdicts of several, the epoch used last is shown. No line crosses a
bucket without data or an epoch.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from django.db.models import Max, Min, QuerySet, Sum

from verdicts_app.boards.buckets import (
    MOST,
    bucket_range,
    bucket_start,
    last_day,
    segments_of,
)
from verdicts_app.boards.cells import sums_in_view
from verdicts_app.boards.comparisons import Interval, mean_interval
from verdicts_app.boards.epochs import EpochChoice, EpochOnBoard, choose, epochs_on_boards
from verdicts_app.boards.filters import LINES_MOST, BoardFilters
from verdicts_app.models import POINT, BoardSum, Origin, Persona
from verdicts_app.models.board_sum import UNIT, Span

LINES_AT_FIRST = 3
"""Lines besides the control while no one chose any."""


@dataclass(frozen=True, slots=True)
class Point:
    start: date
    mean: Fraction
    interval: Interval | None
    scenarios: int
    verdicts: int
    epoch: EpochOnBoard


@dataclass(frozen=True, slots=True)
class Line:
    """`points` has one entry per bucket, None where there is no verdict."""

    name: str
    is_control: bool
    points: tuple[Point | None, ...]

    @property
    def last(self) -> Point | None:
        return next((point for point in reversed(self.points) if point), None)

    @property
    def segments(self) -> list[list[Point]]:
        return segments_of(self.points)


@dataclass(frozen=True, slots=True)
class Change:
    """From this bucket on another epoch is shown."""

    start: date
    before: date
    what: str


@dataclass(frozen=True, slots=True)
class Trends:
    """`is_cut`: buckets older than the first one shown found no room."""

    filters: BoardFilters
    epochs: EpochChoice
    buckets: tuple[date, ...] = ()
    lines: tuple[Line, ...] = ()
    changes: tuple[Change, ...] = ()
    is_cut: bool = False

    @property
    def is_sample(self) -> bool:
        return self.epochs.chosen is not None and self.epochs.chosen.origin == Origin.SAMPLE

    @property
    def last_day(self) -> date:
        return last_day(self.buckets, self.filters.bucket)

    @property
    def shown_epochs(self) -> set[EpochOnBoard]:
        return {point.epoch for line in self.lines for point in line.points if point}


def trends(filters: BoardFilters) -> Trends:
    epochs = choose(filters, epochs_on_boards())
    if epochs.chosen is None:
        return Trends(filters, epochs)
    shown = (epochs.chosen,) if filters.epoch else _of_judge(epochs, filters)
    ids = [epoch.id for epoch in shown]
    personas = _chosen_personas(filters, ids)
    sums = sums_in_view(filters, ids, Span(filters.bucket)).filter(
        persona_id__in=[persona.pk for persona in personas]
    )
    ends = sums.aggregate(first=Min("start"), last=Max("start"))
    if ends["first"] is None:
        return Trends(filters, epochs)
    first, last = (bucket_start(ends[end], filters.bucket) for end in ("first", "last"))
    buckets = bucket_range(first, last, filters.bucket)
    points = _points(sums, buckets, shown, filters.bucket)
    lines = tuple(
        Line(
            persona.spec,
            persona.is_control,
            tuple(points.get((persona.pk, number)) for number in range(len(buckets))),
        )
        for persona in personas
    )
    return Trends(
        filters,
        epochs,
        tuple(buckets),
        tuple(line for line in lines if line.last),
        tuple(_changes(lines)),
        is_cut=len(buckets) == MOST and first < buckets[0],
    )


def _of_judge(epochs: EpochChoice, filters: BoardFilters) -> tuple[EpochOnBoard, ...]:
    return tuple(epoch for epoch in epochs.of_mode if filters.judge in ("", epoch.judge))


def _chosen_personas(filters: BoardFilters, epoch_ids: Iterable[int]) -> list[Persona]:
    """The personas asked for, else those with the highest totals; a control comes along last."""
    sums = sums_in_view(filters, epoch_ids, Span.ALL).values_list("persona_id")
    means = {pk: total / runs for pk, total, runs in sums.annotate(Sum("total"), Sum("runs"))}
    known = list(Persona.objects.filter(pk__in=means, is_archived=False).order_by("spec"))
    if filters.lines:
        picked = [persona for persona in known if persona.spec in filters.lines]
    else:
        others = [persona for persona in known if not persona.is_control]
        others.sort(key=lambda persona: -means[persona.pk])
        picked = others[:LINES_AT_FIRST]
    roles = {persona.role for persona in picked}
    controls = [persona for persona in known if persona.is_control and persona not in picked]
    fitting = [persona for persona in controls if persona.role in roles] or controls
    if len(picked) < LINES_MOST or not any(persona.is_control for persona in picked):
        picked += fitting[:1]
    return picked


@dataclass(slots=True)
class Sums:
    """What one persona has in one bucket and epoch: scenario -> total in 1/60 of 1e-9 points
    and runs."""

    scenarios: dict[int, tuple[int, int]]
    verdicts: int = 0

    def add(self, scenario: int, total: int, runs: int, verdicts: int) -> None:
        held = self.scenarios.get(scenario, (0, 0))
        self.scenarios[scenario] = (held[0] + total, held[1] + runs)
        self.verdicts += verdicts


def _points(
    sums: QuerySet[BoardSum],
    buckets: Sequence[date],
    epochs: Iterable[EpochOnBoard],
    kind: str,
) -> Mapping[tuple[int, int], Point]:
    by_id = {epoch.id: epoch for epoch in epochs}
    numbers = {start: number for number, start in enumerate(buckets)}
    found: dict[tuple[int, int], dict[int, Sums]] = defaultdict(dict)
    rows = (
        sums.filter(start__gte=buckets[0])
        .values_list("persona_id", "start", "epoch_id", "scenario_id")
        .annotate(Sum("total"), Sum("runs"), Sum("verdicts"))
    )
    for persona, start, epoch, scenario, *figures in rows:
        number = numbers[bucket_start(start, kind)]
        held = found[persona, number].setdefault(epoch, Sums({}))
        held.add(scenario, *map(int, figures))
    points = {}
    for (persona, number), by_epoch in found.items():
        newest = max(by_epoch, key=lambda pk: by_id[pk].newest)
        points[persona, number] = _point(buckets[number], by_epoch[newest], by_id[newest])
    return points


def _point(start: date, sums: Sums, epoch: EpochOnBoard) -> Point:
    means = [Fraction(total, runs * UNIT * POINT) for total, runs in sums.scenarios.values()]
    return Point(
        start=start,
        mean=sum(means, Fraction(0)) / len(means),
        interval=mean_interval([float(mean) for mean in means]),
        scenarios=len(means),
        verdicts=sums.verdicts,
        epoch=epoch,
    )


def _changes(lines: Sequence[Line]) -> Iterable[Change]:
    """Where the epoch shown differs from that of the last bucket with data."""
    last: Point | None = None
    for points in zip(*(line.points for line in lines), strict=True):
        held = [point for point in points if point is not None]
        if not held:
            continue
        newest = max(held, key=lambda point: point.epoch.newest)
        if last is not None and newest.epoch.id != last.epoch.id:
            yield Change(newest.start, last.start, epoch_difference(last.epoch, newest.epoch))
        last = newest


def epoch_difference(old: EpochOnBoard, new: EpochOnBoard) -> str:
    """What changed in the instrument, in words."""
    parts = []
    if (old.rubric, old.rubric_number) != (new.rubric, new.rubric_number):
        before = f"{old.rubric_number}" if old.rubric == new.rubric else f"{old.rubric}"
        after = f"{new.rubric_number}" if old.rubric == new.rubric else f"{new.rubric}"
        parts.append(f"Rubric {before} → {after}")
    if old.judge != new.judge:
        parts.append(f"Judge {old.judge or 'none'} → {new.judge or 'none'}")
    return ", ".join(parts) or "Prompt or parameters"
