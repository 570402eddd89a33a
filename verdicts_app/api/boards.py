"""What the boards show, as data."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from judgeweb.access.bearer import Bearer
from judgeweb.judging.modes import MODES
from judgeweb.problems import Fault, Problem
from verdicts_app.api.schemas import PROBLEMS, ProblemOut
from verdicts_app.boards import ranked_data, trends_data
from verdicts_app.boards.filters import BUCKETS, SELF, SORTS, WAYS, BoardFilters
from verdicts_app.boards.ranked import ranked_board
from verdicts_app.boards.trends import trends
from verdicts_app.exports.tables import csv_table

router = Router(tags=["boards"])
JSON, CSV = "application/json", "text/csv"

TEXT: dict[str, Any] = {"type": "string"}
DAY: dict[str, Any] = {"type": "string", "format": "date"}
FILTERS: dict[str, dict[str, Any]] = {
    "mode": {"enum": list(MODES)},
    "epoch": TEXT | {"description": "A digest or its start"},
    "scenario": TEXT,
    "category": TEXT,
    "role": TEXT,
    "theme": TEXT,
    "judge": TEXT | {"description": "The judge's model"},
    "self": {"enum": list(SELF), "description": "Answers of the judge's own model"},
    "from": DAY,
    "to": DAY,
}


def query_parameters(schemas: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The URL's filters for the API page: the boards read them, not ninja."""
    return {
        "parameters": [
            {"in": "query", "name": name, "required": False, "schema": schema}
            for name, schema in schemas.items()
        ]
    }


def filters_of(request: HttpRequest) -> BoardFilters:
    """Raise Problem for values that a page would leave out with a word."""
    filters = BoardFilters.from_query(request.GET)
    if filters.problems:
        raise Problem(
            422,
            "Some filters are not as expected.",
            faults=[Fault(p.field, p.expected, p.value) for p in filters.problems],
        )
    return filters


def wants_csv(request: HttpRequest) -> bool:
    asked = request.GET.get("format", "")
    if asked not in ("", "csv", "json"):
        raise Problem(
            422, "The format is not known.", faults=[Fault("format", "csv or json", asked)]
        )
    return asked == "csv" or (not asked and request.get_preferred_type([JSON, CSV]) == CSV)


def csv_answer(name: str, header: Iterable[str], rows: Iterable[Iterable[Any]]) -> HttpResponse:
    return HttpResponse(
        csv_table(list(header), [list(row) for row in rows]),
        content_type=f"{CSV}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


LEADERBOARD = query_parameters(
    FILTERS
    | {
        "min": {"type": "integer", "minimum": 1, "maximum": 9999},
        "by": {"enum": list(WAYS)},
        "sort": {"enum": [sign + name for name in SORTS for sign in ("", "-")]},
        "persona": {"enum": ["0", "1"], "description": "0: totals without persona"},
        "format": {"enum": ["json", "csv"]},
    }
)


AS_CSV = {"responses": {200: {"content": {CSV: {"schema": TEXT}}}}}


@router.get(
    "/leaderboard",
    auth=Bearer("read"),
    response={200: dict[str, Any], PROBLEMS: ProblemOut},
    operation_id="get_leaderboard",
    summary="Leaderboard",
    openapi_extra=LEADERBOARD | AS_CSV,
)
def get_leaderboard(request: HttpRequest) -> Any:
    """One mode and one epoch: by default those judged last that rank anyone. Modes that compare
    give results head to head, coherence the chain totals of relays. CSV with `format=csv` or
    `Accept: text/csv`. Scope: read."""
    is_csv = wants_csv(request)
    board = ranked_board(filters_of(request))
    if is_csv:
        rows = [row.values() for row in ranked_data.rows_of(board)]
        return csv_answer("leaderboard", ranked_data.columns_of(board), rows)
    return ranked_data.as_data(board)


TRENDS = query_parameters(
    FILTERS
    | {
        "bucket": {"enum": list(BUCKETS)},
        "line": {"type": "array", "items": TEXT, "description": "At most 4 personas"},
        "persona": {"enum": ["0", "1"], "description": "0: totals without persona"},
        "format": {"enum": ["json", "csv"]},
    }
)


@router.get(
    "/trends",
    auth=Bearer("read"),
    response={200: dict[str, Any], PROBLEMS: ProblemOut},
    operation_id="get_trends",
    summary="Trends",
    openapi_extra=TRENDS | AS_CSV,
)
def get_trends(request: HttpRequest) -> Any:
    """Mean total per persona and bucket; a bucket without verdicts is null, never zero. CSV as
    with the leaderboard. Scope: read."""
    is_csv = wants_csv(request)
    found = trends(filters_of(request))
    if is_csv:
        rows = [row.values() for row in trends_data.rows(found)]
        return csv_answer("trends", trends_data.COLUMNS, rows)
    return trends_data.as_data(found)
