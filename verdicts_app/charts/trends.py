"""The trend of mean totals as a figure."""

from collections.abc import Iterable, Mapping
from datetime import date
from html import escape
from math import ceil, floor

from verdicts_app.boards.trends import Line, Point, Trends
from verdicts_app.charts.line_names import short_names
from verdicts_app.charts.time_chart import Dot, Figure, Mark, Series, TimeChart, day_in_words
from verdicts_app.charts.time_figure import time_figure
from verdicts_app.templatetags.figures import rounded

Links = Mapping[tuple[str, date], str]
"""(line, start of the bucket) -> the verdicts behind the point."""


def trends_figure(trends: Trends, links: Links) -> Figure:
    low, high, step = axis_of(trends.lines)
    numbers = range(len(trends.buckets))
    short = short_names([line.name for line in trends.lines])
    return time_figure(
        TimeChart(
            buckets=trends.buckets,
            kind=trends.filters.bucket,
            series=[_series(line, short[line.name], links) for line in trends.lines],
            marks=[Mark(c.before, c.start, f"{c.what}, new epoch") for c in trends.changes],
            has_data=[any(line.points[number] for line in trends.lines) for number in numbers],
            ticks=range(low, high + 1, step),
        )
    )


def axis_of(lines: Iterable[Line]) -> tuple[int, int, int]:
    """Low end, high end and step of the scale: round numbers around all points and intervals."""
    held = [point for line in lines for point in line.points if point]
    values = [float(point.mean) for point in held]
    for point in held:
        if point.interval:
            values += [point.interval.low, point.interval.high]
    low, high = max(min(values), 0.0), min(max(values), 100.0)
    step = next((step for step in (2, 5, 10) if high - low <= step * 7), 20)
    bottom, top = step * floor(low / step), step * ceil(high / step)
    return bottom, top if top > bottom else bottom + step, step


def _series(line: Line, short: str, links: Links) -> Series:
    last = f" {rounded(line.last.mean, 1)}" if line.last else ""
    return Series(
        line.name,
        [[_dot(line, point, links) for point in segment] for segment in line.segments],
        end=f"{short}{last}",
        is_control=line.is_control,
    )


def _dot(line: Line, point: Point, links: Links) -> Dot:
    interval = (point.interval.low, point.interval.high) if point.interval else None
    link = links.get((line.name, point.start), "")
    return Dot(point.start, float(point.mean), interval, link, _hover(line, point))


def _hover(line: Line, point: Point) -> str:
    between = (
        f"{rounded(point.interval.low, 1)} to {rounded(point.interval.high, 1)}"
        if point.interval
        else "no interval"
    )
    return (
        f"{escape(line.name)} {rounded(point.mean, 1)}<br>{between}<br>"
        f"{day_in_words(point.start)}, {point.scenarios} scenarios, {point.verdicts} verdicts<br>"
        f"epoch {point.epoch.short}"
    )
