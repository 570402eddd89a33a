"""Estimates over time as a Plotly figure, without Plotly: a dict that the browser draws.

Colours are names of tokens ("--c1", with "/band" for the see-through band); `static/js/charts.js`
puts in what they mean in the theme. Nothing missing is ever a number: a gap is null. Texts have no
markup but line breaks: Plotly turns bold into style attributes, which the security policy forbids.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from html import escape
from math import ceil

from verdicts_app.charts.time_chart import COLOURS, Dot, Figure, Series, TimeChart, day_in_words
from verdicts_app.charts.time_notes import (
    allowed_area,
    change_labels,
    change_mark,
    gap_areas,
    gap_labels,
    line_ends,
)

MARKERS = ("circle", "square", "triangle-up", "cross", "x", "star")
DASHES = ("solid", "solid", "dot", "dashdot", "longdash", "longdashdot")
TICKS_MOST = 13
HEADROOM = 0.025
"""Of the scale, so that a point at its upper end is whole."""


def time_figure(chart: TimeChart) -> Figure:
    traces: list[Figure] = []
    for number, series in enumerate(chart.series):
        traces += [_band(number, series), _line(number, series)]
    low, high = chart.ticks[0], chart.ticks[-1]
    return {
        "data": traces,
        "layout": {
            **_frame(_room_for_ends(chart)),
            "xaxis": _x_axis(chart),
            "yaxis": {
                **_axis(),
                "range": [low, high + (high - low) * HEADROOM],
                "tickvals": list(chart.ticks),
                "ticktext": [chart.tick(value) for value in chart.ticks],
            },
            "shapes": [
                *gap_areas(chart),
                *allowed_area(chart.allowed),
                *map(change_mark, chart.marks),
            ],
            "annotations": [
                *change_labels(chart),
                *gap_labels(chart),
                *line_ends(chart.series, low, high),
            ],
        },
    }


@dataclass
class _Points:
    """The columns of a line, one entry a point."""

    x: list[str] = field(default_factory=list)
    y: list[float | None] = field(default_factory=list)
    above: list[float] = field(default_factory=list)
    below: list[float] = field(default_factory=list)
    link: list[str] = field(default_factory=list)
    hover: list[str] = field(default_factory=list)

    def add(self, segment: Sequence[Dot]) -> None:
        for dot in segment:
            has_whisker = dot.interval and len(segment) == 1
            low, high = dot.interval if dot.interval and has_whisker else (dot.value, dot.value)
            self._add(dot, dot.value, high - dot.value, dot.value - low, dot.link, dot.hover)
        # A null between two runs keeps the line from joining them.
        self._add(segment[-1], None, 0.0, 0.0, "", "")

    def _add(
        self, dot: Dot, y: float | None, above: float, below: float, link: str, hover: str
    ) -> None:
        self.x.append(dot.start.isoformat())
        self.y.append(y)
        self.above.append(above)
        self.below.append(below)
        self.link.append(link)
        self.hover.append(hover)


def _line(number: int, series: Series) -> Figure:
    colour = COLOURS[number % len(COLOURS)]
    points = _Points()
    for segment in series.segments:
        points.add(segment)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape(series.name),
        "x": points.x,
        "y": points.y,
        "customdata": points.link,
        "hovertext": points.hover,
        "hoverinfo": "text",
        "connectgaps": False,
        "line": {"color": colour, "width": 2, "dash": _dash(number, series)},
        "marker": {
            "color": colour,
            "size": 9,
            "symbol": "diamond" if series.is_control else MARKERS[number % len(MARKERS)],
            "line": {"color": "--paper", "width": 1.5},
        },
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": points.above,
            "arrayminus": points.below,
            "color": colour,
            "thickness": 1.5,
            "width": 4,
            "visible": any(points.above) or any(points.below),
        },
    }


def _dash(number: int, series: Series) -> str:
    return "dash" if series.is_control else DASHES[number % len(DASHES)]


def _band(number: int, series: Series) -> Figure:
    """One closed outline per run of neighbours that have an interval."""
    colour = COLOURS[number % len(COLOURS)]
    x: list[str | None] = []
    y: list[float | None] = []
    for segment in series.segments:
        for run in _with_interval(segment):
            if len(run) < 2:
                continue
            there = [(start, high) for start, _, high in run]
            back = [(start, low) for start, low, _ in reversed(run)]
            x += [*(start.isoformat() for start, _ in there + back), None]
            y += [*(value for _, value in there + back), None]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(series.name),
        "x": x[:-1],
        "y": y[:-1],
        "fill": "toself",
        "fillcolor": f"{colour}/band",
        "line": {"width": 0, "color": colour},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _with_interval(segment: Iterable[Dot]) -> list[list[tuple[date, float, float]]]:
    runs: list[list[tuple[date, float, float]]] = [[]]
    for dot in segment:
        if dot.interval:
            runs[-1].append((dot.start, *dot.interval))
        elif runs[-1]:
            runs.append([])
    return runs


def _x_axis(chart: TimeChart) -> Figure:
    every = max(1, ceil(len(chart.buckets) / TICKS_MOST))
    shown = chart.buckets[::every]
    edge = timedelta(days={"day": 1, "week": 4, "month": 15}[chart.kind])
    ends = [chart.buckets[0] - edge, chart.buckets[-1] + edge]
    return {
        **_axis(),
        "type": "date",
        "range": [end.isoformat() for end in ends],
        "tickvals": [start.isoformat() for start in shown],
        "ticktext": [day_in_words(start, is_short=True) for start in shown],
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
        "margin": {"l": 44, "r": right, "t": 48, "b": 32},
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


def _room_for_ends(chart: TimeChart) -> int:
    """Pixels beside the chart; seven are a character of the bold type."""
    longest = max((len(series.end) for series in chart.series), default=0)
    return max(150, 24 + 7 * longest)
