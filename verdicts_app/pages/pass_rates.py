"""Pass rates of captured calls, the second view of the trends: a page, CSV, JSON and Parquet."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from judgeweb.judging.modes.calls import DIMENSIONS
from verdicts_app.boards import pass_rates_data
from verdicts_app.boards.buckets import next_bucket
from verdicts_app.boards.calibration import board_off
from verdicts_app.boards.call_filters import CallFilters
from verdicts_app.boards.pass_rates import CallTypeTrend, PassRates, Point, pass_rates
from verdicts_app.boards.rates import KEYS, LABELS, PASS, Rate
from verdicts_app.charts.pass_rates import (
    Multiple,
    Scale,
    lowest_tick,
    multiple,
    pass_rate_figure,
)
from verdicts_app.pages.call_chips import call_chips
from verdicts_app.pages.filter_bar import Chip, Switch
from verdicts_app.pages.tables import Table
from verdicts_app.templatetags.figures import percent

VIEW = "rates"
CLEARED = ("call_type", "run", "prompt", "worker", "judge", "epoch", "start", "end")


@dataclass(frozen=True)
class Cell:
    """One rate with the calls behind it; `rate` None: no calls."""

    rate: Rate | None
    link: str
    failed_link: str


@dataclass(frozen=True)
class BucketRow:
    start: date
    cells: list[Cell]
    verdicts: int
    change: str


@dataclass(frozen=True)
class CallTypeRow:
    """`multiples` are the small graphics, one a dimension, each with its newest rate and the view
    that shows it large; `last` is the newest point of all."""

    trend: CallTypeTrend
    query: str
    multiples: list[tuple[Multiple | None, Cell, str]]
    last: Point
    cells: list[Cell]


def is_wanted(request: HttpRequest) -> bool:
    return request.GET.get("view") == VIEW


def pass_rates_page(request: HttpRequest) -> HttpResponse:
    found = pass_rates(CallFilters.from_query(request.GET))
    return render(request, "verdicts/pass_rates.html", _context(found))


def pass_rates_table(request: HttpRequest) -> Table:
    found = pass_rates(CallFilters.from_query(request.GET))
    return "pass-rates", pass_rates_data.COLUMNS, pass_rates_data.rows(found)


def pass_rates_json(request: HttpRequest) -> HttpResponse:
    found = pass_rates(CallFilters.from_query(request.GET))
    return JsonResponse(
        pass_rates_data.as_data(found), json_dumps_params={"allow_nan": False, "indent": 2}
    )


def view_switch(*, is_rates: bool) -> list[Switch]:
    return [Switch("Totals", "", not is_rates), Switch("Pass rates", f"view={VIEW}", is_rates)]


def _context(found: PassRates) -> dict[str, Any]:
    filters = found.filters
    chips = _chips(found)
    focus = found.focus
    context: dict[str, Any] = {
        "found": found,
        "focus": focus,
        "query": _query(filters.to_query()),
        "clear": _query(filters.without(*CLEARED)),
        "chips": chips,
        "loosen": [chip for chip in chips if chip.off is not None],
        "view_switch": view_switch(is_rates=True),
        "bucket_switch": [
            Switch(bucket.capitalize(), _query(filters.to_query(bucket=bucket)), is_current)
            for bucket in ("day", "week", "month")
            for is_current in [bucket == filters.bucket]
        ],
        "epochs": [(epoch.digest[:12], epoch.label) for epoch in found.epochs.of_mode],
        "call_types": sorted(trend.call_type for trend in found.trends),
        "dimension_switch": [
            Switch(LABELS[key], _query(filters.to_query(dimension=key)), key == filters.dimension)
            for key in KEYS
        ],
        "keys": [(key, LABELS[key]) for key in KEYS],
        "dimensions": DIMENSIONS,
        "outside": board_off(*found.shown_epochs),
    }
    if not found.trends:
        return context
    low = lowest_tick(found.trends, DIMENSIONS, of_points=True)
    context |= {
        "scale": Scale(low, len(found.buckets)),
        "low": low,
        "rows": [_call_type_row(found, trend, low) for trend in found.trends],
    }
    if focus is None:
        return context
    return context | {
        "figure": pass_rate_figure(found, focus, filters.dimension, _links(found, focus)),
        "buckets": list(_bucket_rows(found, focus)),
        "focus_low": lowest_tick([focus], [filters.dimension]),
        "sentence": _sentence(focus, filters.dimension),
        "dimension": LABELS[filters.dimension],
    }


def _query(text: str) -> str:
    return "&".join(part for part in (f"view={VIEW}", text) if part)


def _chips(found: PassRates) -> list[Chip]:
    return [
        Chip(chip.label, chip.value, _query(chip.off or ""), chip.is_code)
        for chip in call_chips(found.filters)
    ]


def _links(found: PassRates, trend: CallTypeTrend) -> dict[tuple[str, date], str]:
    return {
        (key, point.start): _link(found, trend, point)
        for point in trend.points
        if point
        for key in KEYS
    }


def _link(found: PassRates, trend: CallTypeTrend, point: Point, **more: str) -> str:
    """The calls behind a point: its call type, its days, its epoch, the view's other filters."""
    filters = found.filters
    end = next_bucket(point.start, filters.bucket) - timedelta(days=1)
    where = {
        "call_type": trend.call_type,
        "run": filters.run,
        "prompt": filters.prompt,
        "worker": filters.worker,
        "epoch": point.epoch.digest[:12],
        "from": max(point.start, filters.start or point.start).isoformat(),
        "to": min(end, filters.end or end).isoformat(),
        **more,
    }
    kept = {key: value for key, value in where.items() if value}
    return f"{reverse('captures')}?{urlencode(kept)}"


def _cell(found: PassRates, trend: CallTypeTrend, point: Point | None, key: str) -> Cell:
    if point is None:
        return Cell(None, "", "")
    failed = {"state" if key == PASS else key: "fail"}
    return Cell(point.rates[key], _link(found, trend, point), _link(found, trend, point, **failed))


def _bucket_rows(found: PassRates, trend: CallTypeTrend) -> Iterator[BucketRow]:
    """Newest first: what a reader of a table looks for."""
    changes = {change.start: change.what for change in trend.changes}
    for start, point in reversed(list(zip(found.buckets, trend.points, strict=True))):
        yield BucketRow(
            start,
            [_cell(found, trend, point, key) for key in KEYS],
            point.verdicts if point else 0,
            changes.get(start, ""),
        )


def _call_type_row(found: PassRates, trend: CallTypeTrend, low: int) -> CallTypeRow:
    scale = Scale(low, len(found.buckets))
    last = trend.last
    cells = [_cell(found, trend, last, key) for key in KEYS]
    small = [multiple(trend, key, scale) for key in DIMENSIONS]
    large = found.filters.to_query
    shown = [
        (
            one,
            _cell(found, trend, one.last if one else None, key),
            _query(large(call_type=trend.call_type, dimension=key)),
        )
        for one, key in zip(small, DIMENSIONS, strict=True)
    ]
    query = _query(found.filters.to_query(call_type=trend.call_type))
    return CallTypeRow(trend, query, shown, last, cells)


def _sentence(trend: CallTypeTrend, key: str) -> str:
    rate = trend.last.rates[key]
    interval = rate.interval
    if interval is None:
        return f"Nothing of {trend.call_type} was decided at its last point."
    verb = "pass" if key == PASS else f"hold {key}"
    stands = (
        f"{percent(rate.share)} of {trend.call_type} {verb} at its last point, "
        f"{percent(interval.low)} to {percent(interval.high)}."
    )
    changes = len(trend.changes)
    changed = {0: "Nothing changed around it in this time.", 1: "One change is marked."}
    return f"{stands} {changed.get(changes, f'{changes} changes are marked.')}"
