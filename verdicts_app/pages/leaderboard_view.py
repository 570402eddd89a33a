"""What the leaderboard's template draws: a board with its lines, axis, headings and switches."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from verdicts_app.boards import summary
from verdicts_app.boards.epochs import Kind, epochs_on_boards
from verdicts_app.boards.leaderboard import Leaderboard, Row
from verdicts_app.charts.intervals import Axis, Whisker, whisker
from verdicts_app.charts.sparkline import Sparkline, half_range, sparkline
from verdicts_app.pages import filter_bar

HEADINGS = (
    ("mean", "Mean total"),
    ("control", "vs control"),
    ("other", "No persona"),
    ("valid", "Valid / tried"),
    ("cost", "Per verdict"),
)


@dataclass(frozen=True)
class Heading:
    label: str
    query: str
    direction: str
    name: str


@dataclass(frozen=True)
class Line:
    """A row with its drawings and where its links lead."""

    row: Row
    whisker: Whisker | None
    spark: Sparkline | None
    verdicts: str
    unjudged: str
    is_lead: bool
    missing: int


def context(board: Leaderboard) -> dict[str, Any]:
    return {
        "board": board,
        "has_calls_alone": board.epochs.is_installation_empty
        and bool(epochs_on_boards(Kind.CALLS)),
        **_words(board),
        **_filter_bar(board),
        **_table(board),
    }


def _words(board: Leaderboard) -> dict[str, Any]:
    behind = _verdicts_of(board) | {"state": "unjudged"}
    return {
        "title": summary.title(board),
        "sentences": summary.sentences(board),
        "leads_control": summary.leads_control(board),
        "query": board.filters.to_query(),
        "unjudged_url": f"{reverse('verdicts')}?{urlencode(behind)}",
    }


def _filter_bar(board: Leaderboard) -> dict[str, Any]:
    chips = filter_bar.chips(board.filters, board.epochs)
    most = max((row.scenarios for row in board.rows), default=0)
    return {
        "chips": chips,
        "loosen": [chip for chip in chips if chip.off is not None],
        "clear": board.filters.without(*filter_bar.CLEARED),
        "choices": filter_bar.choices(board.epochs),
        "by_switch": filter_bar.by_switch(board.filters),
        "persona_switch": filter_bar.persona_switch(board.filters),
        "most_scenarios": most,
        "loosest": board.filters.to_query(minimum=most),
    }


def _table(board: Leaderboard) -> dict[str, Any]:
    axis = Axis.over(_extent(board))
    half = half_range(row.weeks for row in board.rows)
    control = board.control
    return {
        "axis": axis,
        "half": half,
        "headings": [_heading(board, name, label) for name, label in HEADINGS],
        "name_heading": _heading(board, "name", board.filters.by.capitalize()),
        "width": len(HEADINGS) + 4 + board.has_repeats + bool(board.empty),
        "groups": _groups(board, [_line(board, row, axis, half) for row in board.ranked]),
        "unranked": [_line(board, row, axis, half) for row in board.unranked],
        "control_x": axis.x(control.mean) if control and control.mean is not None else "",
    }


def _extent(board: Leaderboard) -> list[float]:
    values = [float(row.mean) for row in board.rows if row.mean is not None]
    for row in board.rows:
        if row.interval:
            values += [max(row.interval.low, 0), min(row.interval.high, 100)]
    return values


def _groups(board: Leaderboard, lines: list[Line]) -> list[list[Line]]:
    """Tie groups where the order is that of the mean, else one group without a bracket."""
    if not board.is_by_mean:
        return [lines] if lines else []
    return [list(group) for _, group in groupby(lines, key=lambda line: line.row.group)]


def _heading(board: Leaderboard, name: str, label: str) -> Heading:
    """A click sorts the best first, the next click the other way round."""
    now = board.filters.sort
    first = name if name == "name" else f"-{name}"
    other = first.removeprefix("-") if first.startswith("-") else f"-{first}"
    direction = ""
    if now.removeprefix("-") == name:
        direction = "descending" if now.startswith("-") else "ascending"
    if name == "other" and not board.filters.with_persona:
        label = "With persona"
    query = board.filters.to_query(sort=other if now == first else first)
    return Heading(label, query, direction, name)


def _line(board: Leaderboard, row: Row, axis: Axis, half: int) -> Line:
    interval = (row.interval.low, row.interval.high) if row.interval else None
    where = {board.filters.by: row.key, **_verdicts_of(board)}
    return Line(
        row=row,
        whisker=whisker(axis, row.mean, interval) if row.mean is not None else None,
        spark=sparkline(row.weeks, half),
        verdicts=f"{reverse('verdicts')}?{urlencode(where)}",
        unjudged=f"{reverse('verdicts')}?{urlencode({**where, 'state': 'unjudged'})}",
        is_lead=board.is_by_mean and row.group == 1 and board.tie_groups > 1,
        missing=max(board.filters.least - row.scenarios, 0),
    )


def _verdicts_of(board: Leaderboard) -> dict[str, str]:
    """The query of the list of verdicts behind a board."""
    filters = board.filters
    found = {
        "epoch": board.epochs.chosen.digest[:12] if board.epochs.chosen else "",
        "scenario": filters.scenario,
        "category": filters.category,
        "self": filters.own,
        "from": filters.start.isoformat() if filters.start else "",
        "to": filters.end.isoformat() if filters.end else "",
    }
    return {key: value for key, value in found.items() if value}
