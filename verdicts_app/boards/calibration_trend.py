"""The deviations on one gold standard over time: a line per judge, a point per day, week or month.

Time is that of the judging, in the installation's zone. A point is the mean over the calibrations
of one epoch on one revision of the gold standard; where a bucket holds several, the one used last
is shown. No line crosses a bucket without calibrations, an epoch or a new gold standard. What
changed in the instrument is marked.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import pairwise
from zoneinfo import ZoneInfo

from django.conf import settings

from verdicts_app.boards.buckets import MOST, bucket_range, bucket_start
from verdicts_app.boards.calibration import Calibration, calibration_history
from verdicts_app.boards.trends import Change
from verdicts_app.models import Epoch, Origin

LINES_MOST = 4
DAYS_AT_FIRST = 31
"""A longer time is shown by week until someone chooses."""


@dataclass(frozen=True)
class Point:
    """`low` and `high` are the deviations of the lowest and the highest repeat."""

    start: date
    deviation: Fraction
    low: Fraction
    high: Fraction
    calibrations: tuple[Calibration, ...]

    @property
    def newest(self) -> Calibration:
        return self.calibrations[-1]

    @property
    def verdicts(self) -> int:
        return sum(len(one.verdicts) for one in self.calibrations)


@dataclass(frozen=True)
class Line:
    """A judge by the model asked for. `points` has one entry per bucket, None where nothing was
    calibrated."""

    name: str
    points: tuple[Point | None, ...]

    @property
    def held(self) -> list[Point]:
        return [point for point in self.points if point]

    @property
    def last(self) -> Point:
        return self.held[-1]

    @property
    def segments(self) -> list[list[Point]]:
        """Runs of neighbouring buckets with the same instrument: what a line may connect."""
        found: list[list[Point]] = []
        before: Point | None = None
        for point in self.points:
            if point is not None:
                if before is not None and _instrument(before.newest) == _instrument(point.newest):
                    found[-1].append(point)
                else:
                    found.append([point])
            before = point
        return found


@dataclass(frozen=True)
class CalibrationTrend:
    """`calibrations` are all of the judges shown, newest first, also those that do not count.
    `unshown` lines found no room, nor did buckets older than the first where it `is_cut`."""

    scenario: str
    bucket: str
    unshown: int = 0
    buckets: tuple[date, ...] = ()
    lines: tuple[Line, ...] = ()
    changes: tuple[Change, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    is_cut: bool = False


def calibration_trend(scenario: str, *, bucket: str = "", judge: str = "") -> CalibrationTrend:
    """Of all judges, at most the LINES_MOST calibrated last, or of one by the model asked for.
    Without a bucket days are shown while they are few."""
    history = calibration_history(scenario)
    by_line = _lines(one for one in history if judge in ("", one.epoch.requested_model))
    shown = dict(list(by_line.items())[:LINES_MOST])
    unshown = len(by_line) - len(shown)
    listed = sorted(
        (one for held in shown.values() for one in held),
        key=lambda one: one.judged_at,
        reverse=True,
    )
    days = [_day(one) for one in listed if one.counts]
    if not days:
        return CalibrationTrend(scenario, bucket or "day", unshown, calibrations=tuple(listed))
    is_short = (max(days) - min(days)).days <= DAYS_AT_FIRST
    kind = bucket or ("day" if is_short else "week")
    first, last = bucket_start(min(days), kind), bucket_start(max(days), kind)
    buckets = bucket_range(first, last, kind)
    lines = [Line(name, _points(held, buckets, kind)) for name, held in shown.items()]
    lines = [line for line in lines if line.held]
    return CalibrationTrend(
        scenario,
        kind,
        unshown,
        tuple(buckets),
        tuple(lines),
        tuple(_changes(lines)),
        tuple(listed),
        is_cut=len(buckets) == MOST and first < buckets[0],
    )


def line_of(epoch: Epoch) -> tuple[str, str, str]:
    """What stays the same on a line: origin, the model asked for, the rubric's name."""
    rubric = epoch.rubric_revision.key if epoch.rubric_revision else ""
    return epoch.origin, epoch.requested_model, rubric


def _lines(every: Iterable[Calibration]) -> Mapping[str, list[Calibration]]:
    """Name -> its calibrations, oldest first; the judge calibrated last first."""
    found: dict[tuple[str, str, str], list[Calibration]] = defaultdict(list)
    for one in every:
        found[line_of(one.epoch)].append(one)
    models = [model for _, model, _ in found]
    named = {}
    for (origin, model, rubric), held in found.items():
        parts = [model]
        if models.count(model) > 1:
            parts.append(rubric)
        if origin != Origin.JUDGED:
            parts.append(Origin(origin).label)
        named[", ".join(filter(None, parts))] = held
    newest_first = sorted(named, key=lambda name: named[name][-1].judged_at, reverse=True)
    return {name: named[name] for name in newest_first}


def _day(one: Calibration) -> date:
    return one.judged_at.astimezone(ZoneInfo(settings.TIME_ZONE)).date()


def _instrument(one: Calibration) -> tuple[int, int]:
    return one.epoch.pk, one.gold.pk


def _points(
    held: Sequence[Calibration], buckets: Sequence[date], kind: str
) -> tuple[Point | None, ...]:
    by_bucket: dict[date, list[Calibration]] = defaultdict(list)
    for one in held:
        if one.counts:
            by_bucket[bucket_start(_day(one), kind)].append(one)
    return tuple(_point(start, by_bucket[start]) for start in buckets)


def _point(start: date, held: list[Calibration]) -> Point | None:
    if not held:
        return None
    same = [one for one in held if _instrument(one) == _instrument(held[-1])]
    repeats = [deviation for one in same for deviation in one.deviations]
    return Point(
        start,
        deviation=sum((one.deviation for one in same), Fraction(0)) / len(same),
        low=min(repeats),
        high=max(repeats),
        calibrations=tuple(same),
    )


# --- what changed -------------------------------------------------------------------------------


def _changes(lines: Sequence[Line]) -> list[Change]:
    """In their order in time. Several lines name their judge."""
    found = []
    for line in lines:
        whose = f", {line.name}" if len(lines) > 1 else ""
        for old, new in pairwise(line.held):
            if what := instrument_difference(old.newest, new.newest):
                found.append(Change(new.start, old.start, f"{what}{whose}"))
    return sorted([*found, *_replaced(lines)], key=lambda change: (change.start, change.what))


def _replaced(lines: Sequence[Line]) -> Iterator[Change]:
    """Where another model is asked than before: one line ends before the next begins."""
    in_order = sorted(lines, key=lambda line: line.held[0].start)
    for number, line in enumerate(in_order[1:], 1):
        before = max(in_order[:number], key=lambda one: one.last.start)
        if before.last.start < line.held[0].start:
            what = f"Judge {before.name} → {line.name}"
            yield Change(line.held[0].start, before.last.start, what)


def instrument_difference(old: Calibration, new: Calibration) -> str:
    """What changed from one calibration to another, in words; empty where nothing did."""
    was, is_now = old.epoch, new.epoch
    parts = []
    if was.rubric_revision != is_now.rubric_revision:
        parts.append(f"Rubric {_number(was)} → {_number(is_now)}")
    if was.requested_model != is_now.requested_model:
        parts.append(f"Judge {was.requested_model} → {is_now.requested_model}")
    if was.returned_model != is_now.returned_model:
        parts.append(f"Answers as {was.returned_model or '–'} → {is_now.returned_model or '–'}")
    if was.prompt_version != is_now.prompt_version:
        parts.append(f"Prompt {was.prompt_version} → {is_now.prompt_version}")
    if was.parameters != is_now.parameters:
        parts.append("Parameters")
    if old.gold != new.gold:
        parts.append(f"Gold standard {old.gold.number} → {new.gold.number}")
    return ", ".join(parts)


def _number(epoch: Epoch) -> str:
    return str(epoch.rubric_revision.number) if epoch.rubric_revision else "–"
