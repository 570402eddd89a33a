"""What the boards show, as data."""

from collections.abc import Sequence
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
from verdicts_app.exports.downloads import CSV, PARQUET, Rows, csv_file, parquet_file
from verdicts_app.exports.parquet import NoParquet

router = Router(tags=["boards"])
FORMATS = {"json": "application/json", "csv": CSV, "parquet": PARQUET}

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


def asked_format(request: HttpRequest) -> str:
    """By `format`, else by what the client accepts."""
    asked = request.GET.get("format", "")
    if asked and asked not in FORMATS:
        expected = f"one of {', '.join(FORMATS)}"
        raise Problem(422, "The format is not known.", faults=[Fault("format", expected, asked)])
    accepted = request.get_preferred_type(list(FORMATS.values()))
    by_type = {media_type: name for name, media_type in FORMATS.items()}
    return asked or by_type.get(accepted or "", "json")


def file_of(form: str, name: str, columns: Sequence[str], rows: Rows) -> HttpResponse:
    """CSV or Parquet."""
    if form == "csv":
        return csv_file(name, columns, rows)
    try:
        return parquet_file(name, columns, rows)
    except NoParquet as missing:
        raise Problem(501, str(missing)) from missing


LEADERBOARD = query_parameters(
    FILTERS
    | {
        "min": {"type": "integer", "minimum": 1, "maximum": 9999},
        "by": {"enum": list(WAYS)},
        "sort": {"enum": [sign + name for name in SORTS for sign in ("", "-")]},
        "persona": {"enum": ["0", "1"], "description": "0: totals without persona"},
        "format": {"enum": list(FORMATS)},
    }
)


AS_FILE = {
    "responses": {
        200: {
            "content": {
                CSV: {"schema": TEXT},
                PARQUET: {"schema": TEXT | {"format": "binary"}},
            }
        }
    }
}


@router.get(
    "/leaderboard",
    auth=Bearer("read"),
    response={200: dict[str, Any], PROBLEMS: ProblemOut},
    operation_id="get_leaderboard",
    summary="Leaderboard",
    openapi_extra=LEADERBOARD | AS_FILE,
)
def get_leaderboard(request: HttpRequest) -> Any:
    """One mode and one epoch: by default those judged last that rank anyone. Modes that compare
    give results head to head, coherence the chain totals of relays. CSV or Parquet
    with `format=csv` or `format=parquet`, or by `Accept`. Scope: read."""
    form = asked_format(request)
    board = ranked_board(filters_of(request))
    if form == "json":
        return ranked_data.as_data(board)
    rows = ranked_data.rows_of(board)
    return file_of(form, "leaderboard", ranked_data.columns_of(board), rows)


TRENDS = query_parameters(
    FILTERS
    | {
        "bucket": {"enum": list(BUCKETS)},
        "line": {"type": "array", "items": TEXT, "description": "At most 4 personas"},
        "persona": {"enum": ["0", "1"], "description": "0: totals without persona"},
        "format": {"enum": list(FORMATS)},
    }
)


@router.get(
    "/trends",
    auth=Bearer("read"),
    response={200: dict[str, Any], PROBLEMS: ProblemOut},
    operation_id="get_trends",
    summary="Trends",
    openapi_extra=TRENDS | AS_FILE,
)
def get_trends(request: HttpRequest) -> Any:
    """Mean total per persona and bucket; a bucket without verdicts is null, never zero. CSV and
    Parquet as with the leaderboard. Scope: read."""
    form = asked_format(request)
    found = trends(filters_of(request))
    if form == "json":
        return trends_data.as_data(found)
    return file_of(form, "trends", trends_data.COLUMNS, trends_data.rows(found))
