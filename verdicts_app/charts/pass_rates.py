"""Pass rates of one call type as a figure, and of all as small graphics side by side."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from math import floor

from verdicts_app.boards.pass_rates import CallTypeTrend, PassRates, Point
from verdicts_app.boards.rates import LABELS
from verdicts_app.charts.time_chart import Dot, Figure, Mark, Series, TimeChart, day_in_words
from verdicts_app.charts.time_figure import time_figure
from verdicts_app.templatetags.figures import percent

STEP = 10
WIDTH, HEIGHT, EDGE = 240, 40, 3.0
"""Of a small graphic, and the room left around its line."""

Links = Mapping[tuple[str, date], str]
"""(dimension, start of the bucket) -> the calls behind the point."""


def pass_rate_figure(found: PassRates, trend: CallTypeTrend, key: str, links: Links) -> Figure:
    """One dimension: four bands over one another say nothing."""
    low = lowest_tick([trend], [key])
    series = _series(trend, key, links)
    return time_figure(
        TimeChart(
            buckets=found.buckets,
            kind=found.filters.bucket,
            series=[series] if series.segments else [],
            marks=[Mark(change.before, change.start, change.what) for change in trend.changes],
            has_data=[point is not None for point in trend.points],
            ticks=range(low, 101, 20 if low < 50 else STEP),
            nothing="no calls",
            tick=lambda value: f"{value}%",
        )
    )


def lowest_tick(
    trends: Iterable[CallTypeTrend], keys: Sequence[str], *, of_points: bool = False
) -> int:
    """The low end of the scale in per cent: round, below all intervals, 80 at most. `of_points`
    looks at the points alone: bands are cut off at the end of the scale then."""
    rates = [
        point.rates[key] for trend in trends for point in trend.points if point for key in keys
    ]
    held = [(float(rate.share or 0), rate.interval) for rate in rates if rate.interval]
    lows = [share if of_points else interval.low for share, interval in held]
    tick = STEP * floor(min(lows, default=0) * 100 / STEP)
    return min(tick, 80) if tick >= 50 else 20 * (tick // 20)


def _series(trend: CallTypeTrend, key: str, links: Links) -> Series:
    segments = [
        [_dot(point, key, links) for point in run]
        for segment in trend.segments
        for run in _decided(segment, key)
    ]
    end = _percent(segments[-1][-1].value) if segments else ""
    return Series(LABELS[key], segments, end)


def _decided(segment: Iterable[Point], key: str) -> list[list[Point]]:
    """Runs of points in which something was decided."""
    runs: list[list[Point]] = [[]]
    for point in segment:
        if point.rates[key].n:
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _dot(point: Point, key: str, links: Links) -> Dot:
    rate = point.rates[key]
    share, interval = rate.share, rate.interval
    assert share is not None
    assert interval is not None
    undecided = f", {rate.undecided} undecidable" if rate.undecided else ""
    return Dot(
        point.start,
        float(share * 100),
        (interval.low * 100, interval.high * 100),
        links.get((key, point.start), ""),
        f"{LABELS[key]} {percent(share, 1)}<br>{percent(interval.low)} to "
        f"{percent(interval.high)}<br>{day_in_words(point.start)}, {rate.held} of {rate.n} calls"
        f"{undecided}<br>{escape(point.setting.contract or 'no contract')}, "
        f"epoch {point.epoch.short}",
    )


def _percent(value: float) -> str:
    return percent(value / 100)


# --- small multiples ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Multiple:
    """One cell: a line and its band as SVG paths, the last point, and all of it in words."""

    line: str
    band: str
    lone: tuple[tuple[str, str], ...]
    x: str
    y: str
    last: Point
    key: str
    words: str


@dataclass(frozen=True, slots=True)
class Scale:
    low: int
    buckets: int

    def x(self, number: int) -> float:
        return EDGE + number * (WIDTH - 2 * EDGE) / max(self.buckets - 1, 1)

    def y(self, share: float) -> float:
        room = HEIGHT - 2 * EDGE
        return EDGE + room * (100 - max(share * 100, self.low)) / (100 - self.low)

    @property
    def grid(self) -> str:
        """Lines at the ends of the scale and in its middle."""
        lines = (self.y(1), self.y((1 + self.low / 100) / 2), self.y(self.low / 100))
        return "".join(f"M0 {y:.1f}H{WIDTH}" for y in lines)


def multiple(trend: CallTypeTrend, key: str, scale: Scale) -> Multiple | None:
    """None where the dimension was never decided."""
    numbers = {point.start: number for number, point in enumerate(trend.points) if point}
    runs = [run for segment in trend.segments for run in _decided(segment, key)]
    if not runs:
        return None
    line, band, lone = "", "", []
    for run in runs:
        places = [(scale.x(numbers[point.start]), *_shares(point, key)) for point in run]
        if len(places) == 1:
            x, share, _, _ = places[0]
            lone.append((f"{x:.1f}", f"{scale.y(share):.1f}"))
            continue
        line += _path([(x, scale.y(share)) for x, share, _, _ in places])
        outline = [(x, scale.y(high)) for x, _, _, high in places]
        outline += [(x, scale.y(low)) for x, _, low, _ in reversed(places)]
        band += f"{_path(outline)}Z"
    last = runs[-1][-1]
    shares = [_shares(point, key)[0] for run in runs for point in run]
    words = f"{trend.call_type} {key}: {percent(min(shares))} to {percent(max(shares))}"
    x, y = scale.x(numbers[last.start]), scale.y(_shares(last, key)[0])
    return Multiple(line, band, tuple(lone), f"{x:.1f}", f"{y:.1f}", last, key, words)


def _shares(point: Point, key: str) -> tuple[float, float, float]:
    rate = point.rates[key]
    share, interval = rate.share, rate.interval
    assert share is not None
    assert interval is not None
    return float(share), interval.low, interval.high


def _path(places: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
