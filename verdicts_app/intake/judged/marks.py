"""Marks on the seed's four dimensions, 1 to 10: {correctness, depth, quality, persona}.

A mark is a bare number, or stands under `value` or `score` with its reason beside it. Score: equal
weights, 10-100. Without a stated maximum, marks whose plain sum is the stated total are points of
0-25 instead (see `points`).
"""

from fractions import Fraction
from typing import Any

from judgeweb.judging.sheets import GenericSheet
from judgeweb.judging.strict import as_fraction
from verdicts_app.intake.judged.figures import MAXIMA, VALUES, first_of, numeral, totals_in
from verdicts_app.intake.judged.sheets import scored, with_values
from verdicts_app.intake.judged.types import Given, Judged, Payload

DIMENSIONS = ("correctness", "depth", "quality", "persona")
GROUPS = ("scores", "scoring", "dimensions", "ratings")


def group_of(payload: Payload) -> Any:
    """The object that holds the marks; None where there is none."""
    return first_of(payload, GROUPS)


def matches(payload: Payload) -> bool:
    group = group_of(payload)
    if not isinstance(group, dict) or not any(key in group for key in DIMENSIONS):
        return False
    rows = [mark for mark in group.values() if isinstance(mark, dict)]
    if any(first_of(row, MAXIMA) is not None for row in rows):
        return False
    if any(not row.keys() & set(VALUES) for row in rows):
        return False  # categories of criteria
    return not _are_points(payload, group)


def _are_points(payload: Payload, group: dict[str, Any]) -> bool:
    """Whether the plain sum of the four is what the judge states as total."""
    values = [as_fraction(numeral(_value(group.get(key)))) for key in DIMENSIONS]
    known = [value for value in values if value is not None]
    stated = [as_fraction(numeral(total)) for total in totals_in(payload).values()]
    plain = sum(known, Fraction(0))
    return len(known) == len(DIMENSIONS) and bool(stated) and all(one == plain for one in stated)


def _value(mark: Any) -> Any:
    return first_of(mark, VALUES) if isinstance(mark, dict) else mark


def read(payload: Payload, given: Given) -> Judged:
    marks = {**payload, "scores": with_values(group_of(payload))}
    verdict = scored(GenericSheet(), "solo", {}, marks, given)
    return Judged("solo", verdict, {"scale": "1-10"})
