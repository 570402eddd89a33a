"""What is written into a chart over time: names at the line ends, changes, times without data."""

from collections.abc import Iterable
from html import escape
from itertools import pairwise

from verdicts_app.charts.time_chart import COLOURS, Figure, Mark, Series, TimeChart, between

LABEL_GAP = 0.075
"""Names at the line ends stand at least this share of the axis apart."""
LABEL_LONGEST = 26


def line_ends(series: Iterable[Series], low: float, high: float) -> list[Figure]:
    """Each line's name and last value at its end, moved apart where ends lie close."""
    ends = [(one.last.value, number, one.end) for number, one in enumerate(series)]
    gap = (high - low) * LABEL_GAP
    places: list[float] = []
    ends.sort()
    for value, _, _ in ends:
        places.append(max(value, places[-1] + gap) if places else value)
    # What would stand above the frame moves all below it down.
    most = high + gap / 2
    for at in range(len(places) - 1, -1, -1):
        places[at] = min(places[at], most)
        most = places[at] - gap
    return [
        {
            "name": "line end",
            "x": 1,
            "xref": "paper",
            "y": at,
            "text": escape(end),
            "showarrow": False,
            "xanchor": "left",
            "xshift": 12,
            "font": {"color": COLOURS[number % len(COLOURS)], "size": 12, "weight": 600},
        }
        for at, (_, number, end) in zip(places, ends, strict=True)
    ]


def change_mark(mark: Mark) -> Figure:
    at = between(mark.before, mark.start)
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": at,
        "x1": at,
        "y0": 0,
        "y1": 1,
        "line": {"color": "--ink-2", "width": 1, "dash": "dot"},
    }


def change_labels(chart: TimeChart) -> list[Figure]:
    """Marks that stand too close for two lines of text carry their number alone."""
    days = (chart.buckets[-1] - chart.buckets[0]).days or 1
    is_close = any((b.start - a.start).days < days / 5 for a, b in pairwise(chart.marks))
    return [
        {
            "name": "change",
            "x": between(mark.before, mark.start),
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "yshift": 4,
            "text": f"({number})" if is_close else _wrapped(mark.text),
            "hovertext": escape(mark.text),
            "showarrow": False,
            "font": {"color": "--ink-2", "size": 11},
        }
        for number, mark in enumerate(chart.marks, 1)
    ]


def _wrapped(text: str) -> str:
    """At most two lines."""
    first, _, rest = text.partition(", ")
    lines = [
        part if len(part) <= LABEL_LONGEST else f"{part[: LABEL_LONGEST - 1]}…"
        for part in (first, rest)
        if part
    ]
    return "<br>".join(map(escape, lines))


def _empty_runs(chart: TimeChart) -> list[tuple[int, int]]:
    """First and last index of each run of buckets in which no line has a point."""
    runs: list[tuple[int, int]] = []
    for number, has_data in enumerate(chart.has_data):
        if has_data:
            continue
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _edges(chart: TimeChart, first: int, last: int) -> tuple[str, str]:
    """The middles beside a run of buckets; at an end of the chart, its bucket."""
    buckets = chart.buckets
    start = between(buckets[first - 1], buckets[first]) if first else buckets[0].isoformat()
    is_end = last + 1 == len(buckets)
    end = buckets[-1].isoformat() if is_end else between(buckets[last], buckets[last + 1])
    return start, end


def gap_areas(chart: TimeChart) -> list[Figure]:
    return [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": edges[0],
            "x1": edges[1],
            "y0": 0,
            "y1": 1,
            "fillcolor": "--paper-sunken",
            "line": {"width": 0},
            "layer": "below",
        }
        for edges in (_edges(chart, first, last) for first, last in _empty_runs(chart))
    ]


def allowed_area(allowed: tuple[float, float] | None) -> list[Figure]:
    """Where a value is good, with a line through 0."""
    if allowed is None:
        return []
    across: Figure = {"xref": "paper", "yref": "y", "x0": 0, "x1": 1, "layer": "below"}
    low, high = allowed
    return [
        {
            **across,
            "type": "rect",
            "y0": low,
            "y1": high,
            "fillcolor": "--good-wash",
            "line": {"width": 0},
        },
        {
            **across,
            "type": "line",
            "y0": 0,
            "y1": 0,
            "line": {"color": "--line-strong", "width": 1},
        },
    ]


def gap_labels(chart: TimeChart) -> list[Figure]:
    return [
        {
            "name": "gap",
            "x": between(chart.buckets[first], chart.buckets[last]),
            "y": 0,
            "yref": "paper",
            "yanchor": "bottom",
            "text": chart.nothing,
            "showarrow": False,
            "font": {"color": "--ink-3", "size": 11, "style": "italic"},
        }
        for first, last in _empty_runs(chart)
        if chart.kind != "day" or last - first > 2
    ]
