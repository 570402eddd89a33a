"""Case 127: cells that a spreadsheet must not run, and numbers that must stay numbers."""

import csv
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest

from verdicts_app.exports.numbers import dollars, number
from verdicts_app.exports.tables import csv_table

CELLS = json.loads('["=1+1", "@SUM(A1)", "+cmd", "-2+3", "\\t=1", "\\r=1", -5.0, "a,\\"b\\""]')


def test_text_that_would_be_a_formula_gets_an_apostrophe_and_numbers_none() -> None:
    written = csv_table(["name", "=total"], [[cell, 1] for cell in CELLS])

    back = list(csv.reader(io.StringIO(written, newline="")))
    assert back[0] == ["name", "'=total"]
    assert [line[0] for line in back[1:]] == [
        "'=1+1",
        "'@SUM(A1)",
        "'+cmd",
        "'-2+3",
        "'\t=1",
        "'\r=1",
        "-5.0",
        'a,"b"',
    ]
    assert '"a,""b"""' in written
    assert float(back[7][0]) == -5.0


@pytest.mark.shared
def test_the_cells_are_those_of_the_case(shared: Path) -> None:
    assert json.loads((shared / "cases/127_cells.json").read_text()) == CELLS


def test_csv_of_nothing_has_its_header_and_missing_values_are_empty() -> None:
    assert csv_table(["a", "b"], []) == "a,b\r\n"
    assert csv_table(["a", "b"], [[None, 0]]) == "a,b\r\n,0\r\n"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        # 30 * 132/194 + 10 * 13/14 + 6 + 18.75 + 21.25
        (
            30 * Fraction(132, 194)
            + 10 * Fraction(13, 14)
            + 6
            + Fraction("18.75")
            + 21
            + Fraction(1, 4),
            "75.698085419735",
        ),
        (Fraction(86), "86"),
        (Fraction(1, 3), "0.333333333333"),
        (Fraction(9999999, 100000), "99.99999"),
        (None, "null"),
    ],
)
def test_numbers_are_written_with_twelve_exact_decimals(
    value: Fraction | None, written: str
) -> None:
    assert json.dumps(number(value)) == written


def test_dollars_are_exact() -> None:
    assert json.dumps(dollars(86_122_500)) == "0.0861225"
    assert dollars(None) is None
