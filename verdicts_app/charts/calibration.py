"""Deviations from a gold score over time as a figure, with the tolerance as a band."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from html import escape
from math import ceil, floor

from verdicts_app.boards.calibration import TOLERANCE, Calibration
from verdicts_app.boards.calibration_trend import CalibrationTrend, Line, Point
from verdicts_app.charts.time_chart import Dot, Figure, Mark, Series, TimeChart, day_in_words
from verdicts_app.charts.time_figure import time_figure
from verdicts_app.templatetags.figures import count, signed

Links = Mapping[tuple[str, date], str]
"""(line, start of the bucket) -> the verdicts behind the point."""
STEPS = (1, 2, 5, 10, 20)
STEPS_MOST = 8


def calibration_figure(trend: CalibrationTrend, links: Links) -> Figure:
    low, high, step = axis_of(trend.lines)
    numbers = range(len(trend.buckets))
    return time_figure(
        TimeChart(
            buckets=trend.buckets,
            kind=trend.bucket,
            series=[_series(line, links) for line in trend.lines],
            marks=[Mark(change.before, change.start, change.what) for change in trend.changes],
            has_data=[any(line.points[number] for line in trend.lines) for number in numbers],
            ticks=range(low, high + 1, step),
            nothing="not calibrated",
            tick=signed_tick,
            allowed=(-TOLERANCE, TOLERANCE),
        )
    )


def axis_of(lines: Iterable[Line]) -> tuple[int, int, int]:
    """Low end, high end and step of the scale: whole steps around all repeats and the tolerance,
    0 among its ticks."""
    held = [point for line in lines for point in line.held]
    low = min((point.low for point in held), default=Fraction(0))
    high = max((point.high for point in held), default=Fraction(0))
    low, high = min(low, Fraction(-TOLERANCE)), max(high, Fraction(TOLERANCE))
    step = next((step for step in STEPS if high - low <= step * STEPS_MOST), STEPS[-1])
    return step * floor(low / step), step * ceil(high / step), step


def signed_tick(value: float) -> str:
    return "0" if not value else signed(value, 0)


def _series(line: Line, links: Links) -> Series:
    return Series(
        line.name,
        [[_dot(line, point, links) for point in segment] for segment in line.segments],
        end=f"{line.name} {signed(line.last.deviation)}",
    )


def _dot(line: Line, point: Point, links: Links) -> Dot:
    link = links.get((line.name, point.start), "")
    between = (float(point.low), float(point.high))
    return Dot(point.start, float(point.deviation), between, link, _hover(line, point))


def _hover(line: Line, point: Point) -> str:
    one = point.newest
    calibrated = count(len(point.calibrations), "calibration,calibrations")
    return (
        f"{escape(line.name)} {signed(point.deviation)}<br>"
        f"repeats {signed(point.low)} to {signed(point.high)}<br>"
        f"{day_in_words(point.start)}, {calibrated}, {count(point.verdicts, 'verdict,verdicts')}"
        f"<br>answers as {escape(one.judge)}, epoch {one.epoch.short}"
    )


# --- small graphics -----------------------------------------------------------------------------

MIDDLE, REACH = 85.0, 77.0
"""Of a small graphic 170 wide: where 0 lies, and how far the scale reaches to either side."""


@dataclass(frozen=True, slots=True)
class DeviationBar:
    """One deviation on a scale that all of them share; places along x. `allowed` is where the
    tolerance begins, and its width."""

    dot: str
    left: str
    right: str
    allowed: tuple[str, str]
    edge: int


def bars(found: Sequence[Calibration]) -> list[DeviationBar]:
    repeats = [abs(deviation) for one in found for deviation in one.deviations]
    edge = 5 * ceil(max(repeats, default=Fraction(0)) / 5)
    edge = max(edge, 2 * TOLERANCE)
    width = 2 * REACH * TOLERANCE / edge
    allowed = (f"{_place(-TOLERANCE, edge):.1f}", f"{width:.1f}")
    return [
        DeviationBar(
            f"{_place(one.deviation, edge):.1f}",
            f"{_place(min(one.deviations), edge):.1f}",
            f"{_place(max(one.deviations), edge):.1f}",
            allowed,
            edge,
        )
        for one in found
    ]


def _place(deviation: int | Fraction, edge: int) -> float:
    return MIDDLE + REACH * float(deviation) / edge
