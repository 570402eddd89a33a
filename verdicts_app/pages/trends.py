"""Trends: as a page with a chart and its table, as CSV, JSON and Parquet."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from judgeweb.access.roles import Capability, needs
from verdicts_app.boards import trends_data
from verdicts_app.boards.buckets import next_bucket
from verdicts_app.boards.calibration import board_off
from verdicts_app.boards.epochs import Kind, epochs_on_boards
from verdicts_app.boards.filters import LINES_MOST, BoardFilters
from verdicts_app.boards.trends import Line, Point, Trends, trends
from verdicts_app.charts.trends import axis_of, trends_figure
from verdicts_app.exports.downloads import csv_file
from verdicts_app.pages import filter_bar, pass_rates
from verdicts_app.pages.filter_bar import Chip
from verdicts_app.pages.tables import Table, parquet_or_why


@dataclass(frozen=True)
class Cell:
    """One number of the table with the verdicts behind it; `point` None: no runs."""

    point: Point | None
    link: str


@dataclass(frozen=True)
class BucketRow:
    start: date
    cells: list[Cell]
    change: str


@needs(Capability.READ)
def trends_page(request: HttpRequest) -> HttpResponse:
    if pass_rates.is_wanted(request):
        return pass_rates.pass_rates_page(request)
    found = trends(BoardFilters.from_query(request.GET))
    if found.epochs.is_installation_empty and epochs_on_boards(Kind.CALLS):
        return pass_rates.pass_rates_page(request)
    return render(request, "verdicts/trends.html", _context(found))


@needs(Capability.READ)
def trends_csv(request: HttpRequest) -> HttpResponse:
    return csv_file(*_table(request))


@needs(Capability.READ)
def trends_parquet(request: HttpRequest) -> HttpResponse:
    return parquet_or_why(_table(request))


def _table(request: HttpRequest) -> Table:
    if pass_rates.is_wanted(request):
        return pass_rates.pass_rates_table(request)
    found = trends(BoardFilters.from_query(request.GET))
    return "trends", trends_data.COLUMNS, trends_data.rows(found)


@needs(Capability.READ)
def trends_json(request: HttpRequest) -> HttpResponse:
    if pass_rates.is_wanted(request):
        return pass_rates.pass_rates_json(request)
    found = trends(BoardFilters.from_query(request.GET))
    return JsonResponse(
        trends_data.as_data(found), json_dumps_params={"allow_nan": False, "indent": 2}
    )


def _context(found: Trends) -> dict[str, Any]:
    chips = _chips(found)
    context = {
        "trends": found,
        "query": found.filters.to_query(),
        "clear": found.filters.without(*filter_bar.CLEARED),
        "chips": chips,
        "loosen": [chip for chip in chips if chip.off is not None],
        "choices": filter_bar.choices(found.epochs),
        "view_switch": pass_rates.view_switch(is_rates=False),
        "bucket_switch": filter_bar.bucket_switch(found.filters),
        "lines_most": LINES_MOST,
        "outside": board_off(*found.shown_epochs),
    }
    if not found.lines:
        return context
    links = {
        (line.name, point.start): _link(found, line, point)
        for line in found.lines
        for point in line.points
        if point
    }
    low, high, _ = axis_of(found.lines)
    return context | {
        "figure": trends_figure(found, links),
        "rows": _rows(found, links),
        "low": low,
        "high": high,
        "sentence": _sentence(found),
        "scenarios": max(point.scenarios for line in found.lines for point in line.points if point),
    }


def _chips(found: Trends) -> list[Chip]:
    chips = filter_bar.chips(found.filters, found.epochs)
    if not found.filters.epoch:
        chips = [chip for chip in chips if chip.label != "epoch"]
    if found.filters.lines:
        names = ", ".join(found.filters.lines)
        chips.append(Chip("personas", names, found.filters.without("lines")))
    return chips


def _link(found: Trends, line: Line, point: Point) -> str:
    """The verdicts behind a point: its persona, its days, its epoch, the view's other filters."""
    filters = found.filters
    end = next_bucket(point.start, filters.bucket) - timedelta(days=1)
    days = (
        {"day": point.start.isoformat()}
        if end == point.start
        else {
            "from": max(point.start, filters.start or point.start).isoformat(),
            "to": min(end, filters.end or end).isoformat(),
        }
    )
    where = {
        "persona": line.name,
        **days,
        "epoch": point.epoch.digest[:12],
        "scenario": filters.scenario,
        "category": filters.category,
        "self": filters.own,
    }
    kept = {key: value for key, value in where.items() if value}
    return f"{reverse('verdicts')}?{urlencode(kept)}"


def _rows(found: Trends, links: dict[tuple[str, date], str]) -> list[BucketRow]:
    """Newest first: what a reader of a table looks for."""
    changes = {change.start: change.what for change in found.changes}
    return [
        BucketRow(
            start,
            [Cell(line.points[number], links.get((line.name, start), "")) for line in found.lines],
            changes.get(start, ""),
        )
        for number, start in reversed(list(enumerate(found.buckets)))
    ]


def _sentence(found: Trends) -> str:
    """What the newest points say, and how often the instrument changed."""
    best = max(
        (line for line in found.lines if line.last),
        key=lambda line: line.last.mean if line.last else 0,
    )
    changes = len(found.changes)
    changed = {
        0: "Nothing that judges changed in this time.",
        1: "One jump is a new epoch, not the personas: see the mark.",
    }.get(changes, f"{changes} jumps are new epochs, not the personas: see the marks.")
    return f"{best.name} stands highest at its last point. {changed}"
