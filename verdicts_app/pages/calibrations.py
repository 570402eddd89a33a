"""How far judges are off the gold standards: now, and on one of them over time. As a page, as CSV,
as JSON."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from judgeweb.access.roles import Capability, needs
from verdicts_app.boards.buckets import next_bucket
from verdicts_app.boards.calibration import TOLERANCE, Calibration
from verdicts_app.boards.calibration_page import (
    CalibrationFilters,
    CalibrationPage,
    calibration_page,
)
from verdicts_app.boards.calibration_trend import CalibrationTrend, Line, Point
from verdicts_app.charts.calibration import DeviationBar, bars, calibration_figure
from verdicts_app.exports.calibrations import calibration_cells, calibration_values
from verdicts_app.exports.downloads import csv_file
from verdicts_app.pages.filter_bar import Chip, Switch
from verdicts_app.templatetags.figures import count, signed

LISTED = 20
"""Calibrations in the list below the chart; the CSV has all."""
BUCKETS = ("day", "week", "month")


@dataclass(frozen=True)
class Stand:
    """How a judge stands on one gold standard; `over_time` is the view that shows it."""

    calibration: Calibration
    bar: DeviationBar
    over_time: str


@dataclass(frozen=True)
class Cell:
    """One point of the table with the verdicts behind it; `point` None: not calibrated."""

    point: Point | None
    link: str


@dataclass(frozen=True)
class BucketRow:
    start: date
    cells: list[Cell]
    change: str


@needs(Capability.READ)
def calibrations(request: HttpRequest) -> HttpResponse:
    page = calibration_page(CalibrationFilters.from_query(request.GET))
    return render(request, "verdicts/calibrations.html", _context(page))


@needs(Capability.READ)
def calibrations_csv(request: HttpRequest) -> HttpResponse:
    """A row a calibration of the view, newest first."""
    rows = [calibration_cells(one) for one in _of_view(request)]
    return csv_file("calibrations", list(rows[0]) if rows else ["scenario"], rows)


@needs(Capability.READ)
def calibrations_json(request: HttpRequest) -> HttpResponse:
    found = [calibration_values(one) for one in _of_view(request)]
    return JsonResponse({"calibrations": found}, json_dumps_params={"indent": 2})


def _of_view(request: HttpRequest) -> tuple[Calibration, ...]:
    page = calibration_page(CalibrationFilters.from_query(request.GET))
    return page.trend.calibrations if page.trend else ()


def _context(page: CalibrationPage) -> dict[str, Any]:
    filters, trend = page.filters, page.trend
    drawn = bars(page.stands)
    context: dict[str, Any] = {
        "page": page,
        "tolerance": TOLERANCE,
        "sentence": _sentence(page),
        "query": filters.to_query(),
        "chips": _chips(filters),
        "stands": [
            Stand(one, bar, filters.to_query(scenario=one.scenario))
            for one, bar in zip(page.stands, drawn, strict=True)
        ],
        "trend": trend,
    }
    return context | _over_time(filters, trend) if trend else context


def _over_time(filters: CalibrationFilters, trend: CalibrationTrend) -> dict[str, Any]:
    context: dict[str, Any] = {
        "bucket_switch": [
            Switch(bucket.capitalize(), filters.to_query(bucket=bucket), bucket == trend.bucket)
            for bucket in BUCKETS
        ],
        "listed": trend.calibrations[:LISTED],
        "unlisted": max(len(trend.calibrations) - LISTED, 0),
    }
    if not trend.lines:
        return context
    links = {
        (line.name, point.start): _link(trend, point) for line in trend.lines for point in line.held
    }
    return context | {
        "figure": calibration_figure(trend, links),
        "rows": _rows(trend, links),
        "gold": trend.lines[0].last.newest,
    }


def _link(trend: CalibrationTrend, point: Point) -> str:
    """The verdicts behind a point: its gold standard, its days, its epoch."""
    end = next_bucket(point.start, trend.bucket) - timedelta(days=1)
    where = {
        "gold": trend.scenario,
        "epoch": point.newest.epoch.digest[:12],
        "from": point.start.isoformat(),
        "to": end.isoformat(),
    }
    return f"{reverse('verdicts')}?{urlencode(where)}"


def _rows(trend: CalibrationTrend, links: dict[tuple[str, date], str]) -> list[BucketRow]:
    """Newest first; buckets in which nothing was calibrated are left out of the table."""
    changes: dict[date, list[str]] = {}
    for change in trend.changes:
        changes.setdefault(change.start, []).append(change.what)
    return [
        BucketRow(
            start,
            [_cell(line, number, links) for line in trend.lines],
            ", ".join(changes.get(start, [])),
        )
        for number, start in reversed(list(enumerate(trend.buckets)))
        if any(line.points[number] for line in trend.lines)
    ]


def _cell(line: Line, number: int, links: dict[tuple[str, date], str]) -> Cell:
    point = line.points[number]
    return Cell(point, links[line.name, point.start] if point else "")


def _chips(filters: CalibrationFilters) -> list[Chip]:
    found = [
        Chip("scenario", filters.scenario, filters.to_query(scenario="")),
        Chip("judge", filters.judge, filters.to_query(judge="")),
    ]
    return [chip for chip in found if chip.value]


def _sentence(page: CalibrationPage) -> str:
    if not page.stands:
        return "Nobody was tried on a gold standard yet."
    golds = count(len(page.stands), "calibration,calibrations")
    if not page.outside:
        return f"All {golds} lie within {TOLERANCE} points of the people who graded."
    worst = page.stands[0]
    return (
        f"{page.outside} of {golds} {'lies' if page.outside == 1 else 'lie'} outside of "
        f"{TOLERANCE} points, farthest {worst.judge} on {worst.scenario}: "
        f"{signed(worst.deviation)}. It is marked on every board it judges."
    )
