"""A view's rows as a file: CSV for spreadsheets, Parquet for data frames. Both hold the same."""

from collections.abc import Iterable, Mapping, Sequence

from django.http import HttpResponse

from verdicts_app.exports.parquet import NoParquet, parquet_table
from verdicts_app.exports.tables import Cell, csv_table

Rows = Iterable[Mapping[str, Cell]]
"""Keyed by the columns, in their order."""
PARQUET = "application/vnd.apache.parquet"


def csv_file(name: str, columns: Sequence[str], rows: Rows) -> HttpResponse:
    table = csv_table(columns, (list(row.values()) for row in rows))
    return _file(f"{name}.csv", table, "text/csv; charset=utf-8")


def parquet_file(name: str, columns: Sequence[str], rows: Rows) -> HttpResponse:
    """501 with a sentence where nothing here can write Parquet."""
    try:
        table = parquet_table(columns, rows)
    except NoParquet as missing:
        return HttpResponse(str(missing), status=501, content_type="text/plain; charset=utf-8")
    return _file(f"{name}.parquet", table, PARQUET)


def _file(name: str, content: str | bytes, content_type: str) -> HttpResponse:
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=disposition)
