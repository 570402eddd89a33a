"""The trend of mean totals as a Plotly figure, without Plotly: a dict that the browser draws.

Colours are names of tokens ("--c1", with "/band" for the see-through band); `static/js/charts.js`
puts in what they mean in the theme. Nothing missing is ever a number: a gap is null. Texts have no
markup but line breaks: Plotly turns bold into style attributes, which the security policy forbids.
"""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from html import escape
from math import ceil, floor
from typing import Any

from verdicts_app.boards.trends import Line, Point, Trends
from verdicts_app.charts.trend_notes import (
    COLOURS,
    change_labels,
    change_marks,
    gap_areas,
    gap_labels,
    line_ends,
    room_for_names,
)
from verdicts_app.templatetags.figures import rounded

MARKERS = ("circle", "square", "triangle-up", "cross", "x", "star")
DASHES = ("solid", "solid", "dot", "dashdot", "longdash", "longdashdot")
TICKS_MOST = 13
Links = Mapping[tuple[str, date], str]
"""(line, start of the bucket) -> the verdicts behind the point."""

Figure = dict[str, Any]


def trends_figure(trends: Trends, links: Links) -> Figure:
    low, high, step = axis_of(trends.lines)
    traces: list[Figure] = []
    for number, line in enumerate(trends.lines):
        traces += [_band(number, line), _line(number, line, links)]
    return {
        "data": traces,
        "layout": {
            **_frame(room_for_names(trends.lines)),
            "xaxis": _x_axis(trends),
            "yaxis": {
                **_axis(),
                "range": [low, high],
                "tickvals": list(range(low, high + 1, step)),
            },
            "shapes": [*gap_areas(trends), *change_marks(trends)],
            "annotations": [
                *change_labels(trends),
                *gap_labels(trends),
                *line_ends(trends.lines, low, high),
            ],
        },
    }


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


def _line(number: int, line: Line, links: Links) -> Figure:
    colour = COLOURS[number % len(COLOURS)]
    x: list[str] = []
    y: list[float | None] = []
    reach: list[float] = []
    link: list[str] = []
    hover: list[str] = []
    for segment in line.segments:
        for point in segment:
            x.append(_x(point))
            y.append(float(point.mean))
            reach.append(_reach(point) if len(segment) == 1 else 0.0)
            link.append(links.get((line.name, point.start), ""))
            hover.append(_hover(line, point))
        # A null between two runs keeps the line from joining them.
        x.append(_x(segment[-1]))
        y.append(None)
        reach.append(0.0)
        link.append("")
        hover.append("")
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape(line.name),
        "x": x,
        "y": y,
        "customdata": link,
        "hovertext": hover,
        "hoverinfo": "text",
        "connectgaps": False,
        "line": {"color": colour, "width": 2, "dash": _dash(number, line)},
        "marker": _marker(number, line),
        "error_y": _whiskers(reach, colour),
    }


def _whiskers(reach: list[float], colour: str) -> Figure:
    return {
        "type": "data",
        "array": reach,
        "color": colour,
        "thickness": 1.5,
        "width": 4,
        "visible": any(reach),
    }


def _marker(number: int, line: Line) -> Figure:
    return {
        "color": COLOURS[number % len(COLOURS)],
        "size": 9,
        "symbol": "diamond" if line.is_control else MARKERS[number % len(MARKERS)],
        "line": {"color": "--paper", "width": 1.5},
    }


def _dash(number: int, line: Line) -> str:
    return "dash" if line.is_control else DASHES[number % len(DASHES)]


def _band(number: int, line: Line) -> Figure:
    """One closed outline per run of neighbours that have an interval."""
    colour = COLOURS[number % len(COLOURS)]
    x: list[str | None] = []
    y: list[float | None] = []
    for segment in line.segments:
        for run in _with_interval(segment):
            if len(run) < 2:
                continue
            there = [(point, point.interval.high) for point in run if point.interval]
            back = [(point, point.interval.low) for point in reversed(run) if point.interval]
            x += [*(_x(point) for point, _ in there + back), None]
            y += [*(value for _, value in there + back), None]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(line.name),
        "x": x[:-1],
        "y": y[:-1],
        "fill": "toself",
        "fillcolor": f"{colour}/band",
        "line": {"width": 0, "color": colour},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _with_interval(segment: list[Point]) -> list[list[Point]]:
    runs: list[list[Point]] = [[]]
    for point in segment:
        if point.interval:
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return runs


def _hover(line: Line, point: Point) -> str:
    between = (
        f"{rounded(point.interval.low, 1)} to {rounded(point.interval.high, 1)}"
        if point.interval
        else "no interval"
    )
    return (
        f"{escape(line.name)} {rounded(point.mean, 1)}<br>{between}<br>"
        f"{_day(point.start)}, {point.scenarios} scenarios, {point.verdicts} verdicts<br>"
        f"epoch {point.epoch.short}"
    )


def _x_axis(trends: Trends) -> Figure:
    every = max(1, ceil(len(trends.buckets) / TICKS_MOST))
    shown = trends.buckets[::every]
    edge = timedelta(days={"day": 1, "week": 4, "month": 15}[trends.filters.bucket])
    ends = [trends.buckets[0] - edge, trends.buckets[-1] + edge]
    return {
        **_axis(),
        "type": "date",
        "range": [end.isoformat() for end in ends],
        "tickvals": [start.isoformat() for start in shown],
        "ticktext": [_day(start, is_short=True) for start in shown],
        "showgrid": False,
    }


def _axis() -> Figure:
    return {
        "fixedrange": True,
        "zeroline": False,
        "gridcolor": "--line",
        "linecolor": "--line-strong",
        "tickfont": {"color": "--ink-3", "size": 11},
    }


def _frame(right: int) -> Figure:
    return {
        "height": 360,
        "margin": {"l": 36, "r": right, "t": 48, "b": 32},
        "paper_bgcolor": "--paper",
        "plot_bgcolor": "--paper",
        "font": {"color": "--ink-2"},
        "showlegend": False,
        "legend": {"orientation": "h", "y": -0.15, "font": {"color": "--ink-2", "size": 12}},
        "hovermode": "closest",
        "hoverlabel": {
            "bgcolor": "--paper-raised",
            "bordercolor": "--line-strong",
            "font": {"color": "--ink", "size": 12},
            "align": "left",
        },
        "dragmode": False,
    }


def _reach(point: Point) -> float:
    return (point.interval.high - point.interval.low) / 2 if point.interval else 0.0


def _x(point: Point) -> str:
    return point.start.isoformat()


def _day(day: date, is_short: bool = False) -> str:
    return f"{day.day} {day:%b}" if is_short else f"{day.day} {day:%b %Y}"
