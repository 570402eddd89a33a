"""Rows of other tools' tables (CSV or JSONL): one kind of row, one file, one line.

A kind is known by its columns, whatever the file is called. Rows that belong together make one
verdict, from however many files of one upload they come.
"""

from collections.abc import Collection

from verdicts_app.intake.rows import counts, findings, preferences
from verdicts_app.intake.rows.types import RowKind

KINDS: dict[str, RowKind] = {
    "findings": findings,
    "counts": counts,
    "preferences": preferences,
}
EXPECTED = "; ".join(f"{name}: {kind.EXPECTED}" for name, kind in KINDS.items())


def kind_of(columns: Collection[str]) -> str:
    """The kind of row that has these columns; "" where none has."""
    return next((name for name, kind in KINDS.items() if kind.matches(columns)), "")


def why_not(columns: Collection[str]) -> str:
    """What to say of a table that holds no kind of row."""
    named = ", ".join(columns)
    shown = named if len(named) <= 200 else f"{named[:199]}…"
    return f"a table with the columns {shown}: none of the kinds that are read ({EXPECTED})"
