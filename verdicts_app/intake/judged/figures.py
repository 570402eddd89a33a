"""Numbers and words of a judge's result, and the figures it states beside ours."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from judgeweb.judging.arithmetic import compare_stated
from judgeweb.judging.strict import as_fraction
from judgeweb.judging.text import shown, visible
from judgeweb.judging.types import Flag, Stated, Verdict
from verdicts_app.intake.fields import FieldRefused

TOTALS = ("weighted_total", "total_score", "total", "score", "score_pct")
VALUES = ("value", "score", "points", "awarded", "earned")
MAXIMA = ("max", "max_score", "max_points", "out_of", "maximum")
REASONS = ("reasoning", "reason", "rationale", "explanation", "notes", "evidence")
LARGEST = 10**6
_NUMERAL = re.compile(r"\s*(-?[0-9]{1,20}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,2})?)\s*")


def numeral(value: Any) -> Any:
    """A bare numeral text as its number; everything else as it is."""
    found = _NUMERAL.fullmatch(value) if isinstance(value, str) else None
    return Decimal(found[1]) if found else value


def number(value: Any, place: str, *, most: Fraction | int = LARGEST) -> Fraction:
    """A number from 0 to `most`. Raise FieldRefused."""
    found = as_fraction(numeral(value))
    if found is None:
        raise FieldRefused(place, f"expected a number, not {shown(value)}", value)
    if not 0 <= found <= most:
        raise FieldRefused(place, f"expected 0 to {_said(most)}, not {shown(value)}", value)
    return found


def _said(value: Fraction | int) -> str:
    return (
        str(float(value)) if isinstance(value, Fraction) and value.denominator > 1 else f"{value}"
    )


def first_of(row: Mapping[str, Any], names: Iterable[str]) -> Any:
    """What stands under the first of these names that says something."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def words(value: Any) -> str:
    """Words of the judge, fit for a page; of a list, its lines."""
    if isinstance(value, list):
        return "; ".join(words(one) for one in value)
    if value is None:
        return ""
    return visible(value if isinstance(value, str) else shown(value, limit=10_000))[0]


def reason_of(row: Any) -> str:
    return words(first_of(row, REASONS)) if isinstance(row, Mapping) else ""


def stated_figure(name: str, value: Any, computed: Fraction | None) -> Stated:
    """A figure as it was stated, beside ours; where nothing could be computed, alone."""
    if computed is None:
        return Stated(name, shown(value), "", differs=False)
    (compared,) = compare_stated({name: numeral(value)}, {name: computed})
    return replace(compared, stated=shown(value))


def totals_in(document: Mapping[str, Any]) -> dict[str, Any]:
    """Every total that a document states, under the names that judges use."""
    return {
        name: document[name]
        for name in TOTALS
        if document.get(name) is not None and not isinstance(document[name], dict | list | bool)
    }


def with_stated(verdict: Verdict, more: Iterable[Stated]) -> Verdict:
    """The verdict with further stated figures; one that differs flags it."""
    known = {one.name for one in verdict.stated}
    stated = (*verdict.stated, *(one for one in more if one.name not in known))
    flags = verdict.flags
    if any(one.differs for one in stated) and Flag.STATED_DIFFERS not in flags:
        flags = (*flags, Flag.STATED_DIFFERS)
    return replace(verdict, stated=stated, flags=flags)
