"""What boards of captured calls read: sums kept with the verdicts, and with the captures."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet, Sum

from verdicts_app.boards.call_filters import CallFilters
from verdicts_app.boards.rates import Tally
from verdicts_app.models import CallSum, CaptureSum
from verdicts_app.models.board_sum import Span
from verdicts_app.models.call_sum import FAILED, UNDECIDED

TOTALS = ("verdicts", "passed", "undecided", *FAILED.values(), *UNDECIDED.values())
SUMS = {f"sum_{name}": Sum(name) for name in TOTALS}
"""What `add_sums` takes, of a group of rows."""


def sums_in_view(filters: CallFilters, span: Span) -> QuerySet[CallSum]:
    """Of all epochs and call types, by bucket of the span, or by day where days are cut off."""
    days = {"start__gte": filters.start, "start__lte": filters.end}
    cut = {name: day for name, day in days.items() if day}
    found = CallSum.objects.filter(
        _about(filters), span=Span.DAY if cut else span, verdicts__gt=0, **cut
    )
    return found.order_by()


def captures_in_view(filters: CallFilters) -> QuerySet[CaptureSum]:
    """Of the call type asked for."""
    days = {"day__gte": filters.start, "day__lte": filters.end}
    cut = {name: day for name, day in days.items() if day}
    found = CaptureSum.objects.filter(_about(filters), call_type=filters.call_type, **cut)
    return found.order_by()


def _about(filters: CallFilters) -> Q:
    wanted = {
        "run__run_id": filters.run,
        "model": filters.worker,
        "system_prompt__sha256__startswith": filters.prompt,
    }
    return Q(**{name: value for name, value in wanted.items() if value})


def add_sums(tally: Tally, sums: Sequence[Any]) -> None:
    """`sums` in the order of SUMS."""
    figures = dict(zip(TOTALS, map(int, sums), strict=True))
    tally.add_verdicts(figures["verdicts"], figures["passed"], figures["undecided"])
    for ok, columns in ((False, FAILED), (None, UNDECIDED)):
        for key, column in columns.items():
            tally.add_checks(key, ok, figures[column])
