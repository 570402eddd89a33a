"""Tables of comma-separated values with a header, row by row."""

import csv
from collections.abc import Iterator
from io import StringIO
from typing import Any, NamedTuple

LONGEST_NAME = 60


class Row(NamedTuple):
    """`document` maps column to cell, both as text; `fault` where the row has none."""

    place: str
    document: dict[str, Any] | None
    fault: str = ""


def columns_of(text: str) -> list[str]:
    """The names of two or more columns in the first line; nothing where it holds none."""
    names = [name.strip() for name in _first_rows(text, 1)[0]]
    is_header = (
        len(names) > 1
        and len(set(names)) == len(names)
        and not names[0].startswith(("-", "#"))
        and all(len(name) <= LONGEST_NAME and _is_name(name) for name in names)
    )
    return names if is_header else []


def is_even(text: str) -> bool:
    """Whether the second line has as many cells as the first."""
    first, second = _first_rows(text, 2)
    return len(first) == len(second)


def _first_rows(text: str, number: int) -> list[list[str]]:
    """The first rows, empty where there are none or they cannot be read."""
    reader = csv.reader(StringIO(text.lstrip("\ufeff\n\r "), newline=""), strict=True)
    try:
        return [next(reader, []) for _ in range(number)]
    except csv.Error:
        return [[]] * number


def _is_name(name: str) -> bool:
    """No sentence, no `key: value`, no JSON."""
    return not any(sign in name for sign in ":{}\"'`")


def rows(text: str) -> Iterator[Row]:
    """Every row below the header. A row with other than the header's cells is a fault."""
    reader = csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
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
            names = [name.strip() for name in cells]
        elif len(cells) != len(names):
            yield Row(place, None, f"has {len(cells)} cells; the header has {len(names)}")
        else:
            yield Row(place, dict(zip(names, cells, strict=True)))
