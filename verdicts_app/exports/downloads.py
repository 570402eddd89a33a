"""A view's rows as a file: CSV for spreadsheets, Parquet for data frames. Both hold the same."""

from collections.abc import Iterable, Mapping, Sequence

from django.http import HttpResponse

from verdicts_app.exports.parquet import parquet_table
from verdicts_app.exports.tables import Cell, csv_table

Rows = Iterable[Mapping[str, Cell]]
"""Keyed by the columns, in their order."""
CSV, PARQUET = "text/csv", "application/vnd.apache.parquet"


def csv_file(name: str, columns: Sequence[str], rows: Rows) -> HttpResponse:
    table = csv_table(columns, (list(row.values()) for row in rows))
    return _file(f"{name}.csv", table, f"{CSV}; charset=utf-8")


def parquet_file(name: str, columns: Sequence[str], rows: Rows) -> HttpResponse:
    """Raise NoParquet."""
    return _file(f"{name}.parquet", parquet_table(columns, rows), PARQUET)


def _file(name: str, content: str | bytes, content_type: str) -> HttpResponse:
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=disposition)
