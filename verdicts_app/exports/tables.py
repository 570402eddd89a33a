"""Tables as CSV that a spreadsheet opens without running anything in it."""

import csv
import io
from collections.abc import Iterable, Sequence

Cell = str | int | float | None

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""A text that starts so is a formula to a spreadsheet, so it gets a leading apostrophe. Numbers
are numbers and stay as they are."""


def csv_table(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """RFC 4180 with CRLF; None is an empty cell."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_guarded(title) for title in header)
    writer.writerows([_guarded(cell) for cell in row] for row in rows)
    return out.getvalue()


def _guarded(cell: Cell) -> Cell:
    if isinstance(cell, str) and cell.startswith(FORMULA_STARTS):
        return f"'{cell}"
    return cell
