"""What is written into the chart of trends: names at the line ends, changes, weeks without runs."""

from collections.abc import Sequence
from datetime import date, timedelta
from html import escape
from typing import Any

from verdicts_app.boards.trends import Line, Trends
from verdicts_app.templatetags.figures import rounded

COLOURS = ("--c1", "--c2", "--c3", "--c4", "--c5", "--c6")
LABEL_GAP = 0.075
"""Names at the line ends stand at least this share of the axis apart."""

NAME_MOST = 20
"""Characters of a line's name at its end."""

Figure = dict[str, Any]


def line_ends(lines: Sequence[Line], low: int, high: int) -> list[Figure]:
    """Each line's name and last value at its end, moved apart where ends lie close."""
    ends = [(float(line.last.mean), number, line) for number, line in enumerate(lines) if line.last]
    gap = (high - low) * LABEL_GAP
    at = float("-inf")
    short = short_names([line.name for line in lines])
    labels = []
    for value, number, line in sorted(ends, key=lambda end: end[:2]):
        at = max(value, at + gap)
        assert line.last is not None
        labels.append(
            {
                "name": "line end",
                "x": 1,
                "xref": "paper",
                "y": at,
                "text": f"{escape(short[line.name])} {rounded(line.last.mean, 1)}",
                "showarrow": False,
                "xanchor": "left",
                "xshift": 12,
                "font": {"color": COLOURS[number % len(COLOURS)], "size": 12, "weight": 600},
            }
        )
    return labels


def room_for_names(lines: Sequence[Line]) -> int:
    """Pixels beside the chart; seven are a character of the bold type."""
    longest = max(len(name) for name in short_names([line.name for line in lines]).values())
    return max(150, 24 + 7 * (longest + len(" 100.0")))


def short_names(names: Sequence[str]) -> dict[str, str]:
    """The theme alone where it names one line; with the role where lines share the theme."""
    themes = [name.partition(":")[0] for name in names]
    return {
        name: _cut(theme, NAME_MOST) if themes.count(theme) == 1 else _with_role(name)
        for name, theme in zip(names, themes, strict=True)
    }


def _with_role(name: str) -> str:
    """The role, which tells the lines apart, gets its room first."""
    theme, _, role = name.partition(":")
    role = _cut(role, NAME_MOST // 2)
    return f"{_cut(theme, NAME_MOST - 1 - len(role))}:{role}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def change_marks(trends: Trends) -> list[Figure]:
    return [
        {
            "type": "line",
            "xref": "x",
            "yref": "paper",
            "x0": _between(change.before, change.start),
            "x1": _between(change.before, change.start),
            "y0": 0,
            "y1": 1,
            "line": {"color": "--ink-2", "width": 1, "dash": "dot"},
        }
        for change in trends.changes
    ]


def change_labels(trends: Trends) -> list[Figure]:
    return [
        {
            "name": "change",
            "x": _between(change.before, change.start),
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "yshift": 4,
            "text": f"{escape(change.what)}<br>new epoch",
            "showarrow": False,
            "font": {"color": "--ink-2", "size": 11},
        }
        for change in trends.changes
    ]


def _empty_runs(trends: Trends) -> list[tuple[int, int]]:
    """First and last index of each run of buckets in which no line has a point."""
    runs: list[tuple[int, int]] = []
    for number in range(len(trends.buckets)):
        if any(line.points[number] for line in trends.lines):
            continue
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def gap_areas(trends: Trends) -> list[Figure]:
    return [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": _between(trends.buckets[first - 1], trends.buckets[first]),
            "x1": _between(trends.buckets[last], trends.buckets[last + 1]),
            "y0": 0,
            "y1": 1,
            "fillcolor": "--paper-sunken",
            "line": {"width": 0},
            "layer": "below",
        }
        for first, last in _empty_runs(trends)
    ]


def gap_labels(trends: Trends) -> list[Figure]:
    return [
        {
            "name": "gap",
            "x": _between(trends.buckets[first], trends.buckets[last]),
            "y": 0,
            "yref": "paper",
            "yanchor": "bottom",
            "text": "no runs",
            "showarrow": False,
            "font": {"color": "--ink-3", "size": 11, "style": "italic"},
        }
        for first, last in _empty_runs(trends)
        if trends.filters.bucket != "day" or last - first > 2
    ]


def _between(first: date, second: date) -> str:
    """The middle of two days, to the hour."""
    hours = (second - first).days * 12
    day = first + timedelta(days=hours // 24)
    return f"{day.isoformat()} {hours % 24:02d}:00"
