"""Tables with a header, row by row: comma-separated, or as spreadsheets write them where a comma is
the decimal sign (semicolons) or columns are copied (tabs). Names of columns are read in lower case,
with `_` for white space."""

import csv
from collections.abc import Iterator
from io import StringIO
from typing import Any, NamedTuple

LONGEST_NAME = 60
DELIMITERS = ",;\t"


class Row(NamedTuple):
    """`document` maps column to cell, both as text; `fault` where the row has none."""

    place: str
    document: dict[str, Any] | None
    fault: str = ""


def columns_of(text: str) -> list[str]:
    """The names of two or more columns in the first line; nothing where it holds none."""
    names = list(map(_name, _first_rows(text, 1)[0]))
    is_header = (
        len(names) > 1
        and len(set(names)) == len(names)
        and not names[0].startswith(("-", "#"))
        and all(len(name) <= LONGEST_NAME and _is_name(name) for name in names)
    )
    return names if is_header else []


def is_plain(text: str) -> bool:
    """Whether it is a table whatever its columns: commas, and as many cells in the second line."""
    first, second = _first_rows(text, 2)
    return _delimiter(text) == "," and len(first) == len(second)


def _first_rows(text: str, number: int) -> list[list[str]]:
    """The first rows, empty where there are none or they cannot be read."""
    text = text.lstrip("\ufeff\n\r ")
    reader = csv.reader(StringIO(text, newline=""), strict=True, delimiter=_delimiter(text))
    try:
        return [next(reader, []) for _ in range(number)]
    except csv.Error:
        return [[]] * number


def _delimiter(text: str) -> str:
    """The one that parts the first line into most cells; a comma where none does."""
    first = text.lstrip("\ufeff\n\r ").partition("\n")[0]
    return max(DELIMITERS, key=first.count)


def _name(cell: str) -> str:
    return "_".join(cell.lower().split())


def _is_name(name: str) -> bool:
    """No sentence, no `key: value`, no JSON."""
    return not any(sign in name for sign in ":{}\"'`")


def rows(text: str) -> Iterator[Row]:
    """Every row below the header. A row with other than the header's cells is a fault."""
    whole = StringIO(text.removeprefix("\ufeff"), newline="")
    reader = csv.reader(whole, strict=True, delimiter=_delimiter(text))
    names: list[str] = []
    line = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield Row(f"line {line}", None, f"not a row of a table: {error}")
            return
        if cells is None:
            return
        place, line = f"line {line}", reader.line_num + 1
        if not any(cell.strip() for cell in cells):
            continue
        if not names:
            names = list(map(_name, cells))
        elif len(cells) != len(names):
            yield Row(place, None, f"has {len(cells)} cells; the header has {len(names)}")
        else:
            yield Row(place, dict(zip(names, cells, strict=True)))
