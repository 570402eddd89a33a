"""A view as a file of its rows, for a browser."""

from collections.abc import Sequence

from django.http import HttpResponse

from verdicts_app.exports.downloads import Rows, parquet_file
from verdicts_app.exports.parquet import NoParquet

Table = tuple[str, Sequence[str], Rows]
"""Name, columns and rows."""


def parquet_or_why(table: Table) -> HttpResponse:
    """501 with a sentence where nothing here can write Parquet."""
    try:
        return parquet_file(*table)
    except NoParquet as missing:
        return HttpResponse(str(missing), status=501, content_type="text/plain; charset=utf-8")
