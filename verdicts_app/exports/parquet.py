"""Tables as Parquet: every column has one type, whatever the rows at hand, and null is null."""

import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from verdicts_app.exports.tables import Cell

WHOLE = frozenset(
    {
        *("rank_best", "rank_worst", "tie_group", "scenarios", "vs_control_scenarios"),
        *("valid", "tried", "unjudged", "failed_runs", "verdicts", "relays", "incomplete"),
        *("same_model", "not_scored", "repeated_answers", "empty_answers"),
        *("won", "tied", "lost", "inconsistent", "passed", "n", "undecidable"),
    }
)
TEXTS = frozenset(
    {
        *("name", "character", "control", "theme", "persona", "bucket", "epoch"),
        *("call_type", "dimension", "system_prompt", "contract", "worker"),
    }
)
DAYS = frozenset({"start"})
"""Written as ISO 8601 in the rows."""
TRUTHS = frozenset({"is_control"})
"""The columns of all tables by their type; the others are numbers of 64-bit floating point."""


class NoParquet(Exception):
    """The library that writes it is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Parquet needs the package pyarrow, which is not installed here. Install it, or take "
            "the same view as CSV or JSON."
        )


def parquet_table(columns: Sequence[str], rows: Iterable[Mapping[str, Cell]]) -> bytes:
    """Raise NoParquet."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise NoParquet from error
    schema = pyarrow.schema([(name, _type(name, pyarrow)) for name in columns])
    found = [{name: _value(name, row[name]) for name in columns} for row in rows]
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(found, schema), out)
    return out.getvalue()


def _type(name: str, pyarrow: Any) -> Any:
    if name in WHOLE:
        return pyarrow.int64()
    if name in TEXTS:
        return pyarrow.string()
    if name in DAYS:
        return pyarrow.date32()
    return pyarrow.bool_() if name in TRUTHS else pyarrow.float64()


def _value(name: str, cell: Cell) -> Cell | date:
    return date.fromisoformat(cell) if name in DAYS and isinstance(cell, str) else cell
