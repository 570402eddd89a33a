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

from django.db.models import Count, Max, Min, QuerySet, Sum

from verdicts_app.boards.buckets import (
    MOST,
    bucket_number,
    buckets_between,
    midnight,
    next_bucket,
)
from verdicts_app.boards.cells import narrowed
from verdicts_app.boards.comparisons import Interval, mean_interval
from verdicts_app.boards.epochs import EpochChoice, EpochOnBoard, choose, epochs_on_boards
from verdicts_app.boards.filters import LINES_MOST, BoardFilters
from verdicts_app.models import POINT, Origin, Persona, Verdict

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
        """Runs of neighbouring buckets of one epoch: what a line may connect."""
        found: list[list[Point]] = []
        before: Point | None = None
        for point in self.points:
            if point is not None:
                if before is not None and before.epoch == point.epoch:
                    found[-1].append(point)
                else:
                    found.append([point])
            before = point
        return found


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
        """The last day that the newest bucket holds."""
        return date.fromordinal(next_bucket(self.buckets[-1], self.filters.bucket).toordinal() - 1)


def trends(filters: BoardFilters) -> Trends:
    epochs = choose(filters, epochs_on_boards())
    if epochs.chosen is None:
        return Trends(filters, epochs)
    shown = (epochs.chosen,) if filters.epoch else _of_judge(epochs, filters)
    verdicts = Verdict.objects.filter(
        narrowed(filters),
        epoch_id__in=[epoch.id for epoch in shown],
        on_board=True,
        total_nano__isnull=False,
        scenario__isnull=False,
        persona__is_archived=False,
    ).order_by()
    personas = _chosen_personas(filters, verdicts)
    chosen = verdicts.filter(persona_id__in=[persona.pk for persona in personas])
    ends = chosen.aggregate(first=Min("answered_at"), last=Max("answered_at"))
    if ends["first"] is None:
        return Trends(filters, epochs)
    buckets = buckets_between(ends["first"], ends["last"], filters.bucket)
    points = _points(chosen, buckets, shown)
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
        is_cut=len(buckets) == MOST and ends["first"] < midnight(buckets[0]),
    )


def _of_judge(epochs: EpochChoice, filters: BoardFilters) -> tuple[EpochOnBoard, ...]:
    return tuple(epoch for epoch in epochs.of_mode if filters.judge in ("", epoch.judge))


def _chosen_personas(filters: BoardFilters, verdicts: QuerySet[Verdict]) -> list[Persona]:
    """The personas asked for, else those with the highest totals; a control comes along last."""
    totals = verdicts.values_list("persona_id").annotate(Sum("total_nano"), Count("id"))
    means = {pk: total / number for pk, total, number in totals}
    known = list(Persona.objects.filter(pk__in=means).order_by("spec"))
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


Sums = dict[int, tuple[int, int]]
"""Scenario -> the sum of its totals and their number."""


def _points(
    verdicts: QuerySet[Verdict], buckets: Sequence[date], epochs: Iterable[EpochOnBoard]
) -> Mapping[tuple[int, int], Point]:
    by_id = {epoch.id: epoch for epoch in epochs}
    rows = (
        verdicts.filter(answered_at__gte=midnight(buckets[0]))
        .annotate(bucket=bucket_number(buckets))
        .values_list("persona_id", "bucket", "epoch_id", "scenario_id")
        .annotate(Sum("total_nano"), Count("id"))
    )
    sums: dict[tuple[int, int], dict[int, Sums]] = defaultdict(dict)
    for persona, number, epoch, scenario, total, count in rows:
        held = sums[persona, number].setdefault(epoch, {})
        held[scenario] = (total, count)
    points = {}
    for (persona, number), by_epoch in sums.items():
        newest = max(by_epoch, key=lambda pk: by_id[pk].newest)
        points[persona, number] = _point(buckets[number], by_epoch[newest], by_id[newest])
    return points


def _point(start: date, sums: Sums, epoch: EpochOnBoard) -> Point:
    means = [Fraction(total, count * POINT) for total, count in sums.values()]
    return Point(
        start=start,
        mean=sum(means, Fraction(0)) / len(means),
        interval=mean_interval([float(mean) for mean in means]),
        scenarios=len(means),
        verdicts=sum(count for _, count in sums.values()),
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
