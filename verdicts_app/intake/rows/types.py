"""One row of a table, and what the values in it may be."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from judgeweb.judging.text import shown
from verdicts_app.intake import fields
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.figures import number

JUDGE = ("judge", "judge_model", "annotator", "evaluator", "rater")
SCENARIO = ("scenario", "item_set", "task", "case", "pr", "instance_id")
CONTESTANT = ("contestant", "spec", "persona", "tool", "system", "candidate")
ITEM = ("item_id", "finding_id", "issue_id", "gid", "item", "id")
FOUND = ("found", "caught", "detected", "hit")
SEVERITY = ("severity", "category")
TRUE_POSITIVES = ("tp", "true_positives")
FALSE_POSITIVES = ("fp", "false_positives")
FALSE_NEGATIVES = ("fn", "false_negatives")

TRUE = {"1", "true", "yes"}
FALSE = {"0", "false", "no"}
LARGEST_COUNT = 100_000
NAME = 200


class RowKind(Protocol):
    """What the module of a kind offers. `EXPECTED` names its columns for people."""

    EXPECTED: str

    def matches(self, columns: Collection[str]) -> bool: ...


@dataclass(frozen=True)
class Row:
    """A row with the place where it stands. Cells of a CSV are text."""

    file: str
    place: str
    cells: Mapping[str, Any]

    def name(self, columns: tuple[str, ...], *, default: str = "") -> str:
        """A name on one line. Raise FieldRefused where there is none."""
        column = column_of(self.cells, columns) or columns[0]
        found = fields.name(self.cells, column, most=NAME) if column in self.cells else ""
        if not (found or default):
            raise FieldRefused(column, "missing: every row names it")
        return found or default

    def truth(self, columns: tuple[str, ...]) -> bool:
        """Raise FieldRefused for anything but 1, 0, true, false, yes and no."""
        column = column_of(self.cells, columns) or columns[0]
        value = self.cells.get(column)
        word = str(value).strip().lower() if isinstance(value, str | int) else ""
        if word not in TRUE | FALSE:
            raise FieldRefused(column, f"expected true or false, not {shown(value)}", value)
        return word in TRUE

    def count(self, columns: tuple[str, ...]) -> int | None:
        """A count; None where the row has none. Raise FieldRefused."""
        column = column_of(self.cells, columns)
        if column is None or self.cells[column] in (None, ""):
            return None
        value = number(self.cells[column], column, most=LARGEST_COUNT)
        if value.denominator != 1:
            raise FieldRefused(column, f"expected a whole number, not {shown(self.cells[column])}")
        return int(value)

    def fraction(self, columns: tuple[str, ...]) -> Fraction:
        """A number from 0 to 1. Raise FieldRefused."""
        column = column_of(self.cells, columns) or columns[0]
        return number(self.cells.get(column), column, most=1)


def column_of(columns: Collection[str], names: tuple[str, ...]) -> str | None:
    """The first of these names that is a column."""
    return next((name for name in names if name in columns), None)


def has_all(columns: Collection[str], *wanted: tuple[str, ...]) -> bool:
    return all(column_of(columns, names) for names in wanted)
