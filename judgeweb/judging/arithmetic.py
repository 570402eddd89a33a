"""Exact arithmetic of totals. Everything is a Fraction; rounding happens for display alone.

Formulas (spec/judging.md 3): a dimension of weight w with marks v1..vn gives w x sum(v) / (10 n).
Totals lie from 0 to 100, 100 best.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from judgeweb.judging.documents import Dimension, RubricDocument
from judgeweb.judging.strict import as_fraction
from judgeweb.judging.text import shown
from judgeweb.judging.types import Mark, Stated, Step

PERSONA = "persona"


def round_half_up(value: Fraction, digits: int) -> str:
    """`value` with exactly `digits` decimals; a half goes away from zero. 79.85 -> "79.9"."""
    scaled = math.floor(abs(value) * 10**digits + Fraction(1, 2))
    whole, rest = divmod(scaled, 10**digits)
    sign = "-" if value < 0 and scaled else ""
    return f"{sign}{whole}.{rest:0{digits}d}" if digits else f"{sign}{whole}"


def plain(value: Fraction | None, digits: int = 6) -> str:
    """`value` as the working shows it: at most `digits` decimals, no trailing zeros."""
    if value is None:
        return "–"
    text = round_half_up(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def weight_of(dimension: Dimension) -> Fraction:
    """A dimension's weight in percent, exact."""
    return Fraction(dimension.weight)


def marked_part(dimension: Dimension, marks: Sequence[Mark]) -> Step:
    """The points of one dimension from its marks, which share its weight equally."""
    share = weight_of(dimension) / (10 * len(marks))
    terms = " + ".join(f"{plain(share)}×{plain(mark.value)}" for mark in marks)
    points = share * sum((mark.value for mark in marks), Fraction(0))
    return Step(dimension.key, terms, points)


def total_step(points: Iterable[Fraction]) -> Step:
    """The sum of the parts, from their exact values."""
    parts = list(points)
    return Step("total", " + ".join(map(plain, parts)), sum(parts, Fraction(0)))


def without_persona(
    rubric: RubricDocument, parts: Mapping[str, Fraction | None]
) -> Fraction | None:
    """The total of the other dimensions with their weights scaled to 100.

    None where persona is all there is. The same as the total where the rubric has no persona.
    """
    others = [dimension for dimension in rubric.dimensions if dimension.key != PERSONA]
    weight = sum((weight_of(dimension) for dimension in others), Fraction(0))
    points = sum((parts[dimension.key] or Fraction(0) for dimension in others), Fraction(0))
    return points * 100 / weight if weight else None


def band_of(dimension: Dimension, value: Fraction) -> str:
    """The band a mark falls in, as "7-8": the highest that it reaches. "" without bands."""
    reached = [band for band in dimension.bands if band.low <= value]
    if not reached:
        return ""
    band = max(reached, key=lambda one: one.low)
    return f"{band.low}-{band.high}"


def compare_stated(
    stated: Mapping[str, Any], computed: Mapping[str, Fraction | None]
) -> tuple[Stated, ...]:
    """The judge's own figures beside ours. `stated` and `computed` share their names."""
    return tuple(
        Stated(name, shown(value), plain(computed[name]), _differs(value, computed[name]))
        for name, value in stated.items()
    )


def _differs(value: Any, computed: Fraction | None) -> bool:
    """False where `value` is ours, rounded to the decimals it is given with."""
    number = as_fraction(value)
    if number is None or computed is None:
        return value is not None or computed is not None
    exponent = Decimal(value).as_tuple().exponent
    unit = Fraction(10) ** min(int(exponent), 0)
    return abs(number - computed) > unit / 2


def at_path(payload: Mapping[str, Any], path: str) -> tuple[bool, Any]:
    """Whether `payload` holds the dotted path, and what stands there."""
    value: Any = payload
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return False, None
        value = value[key]
    return True, value


def pick_stated(payload: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The figures of these dotted names that the judge stated, as it stated them."""
    picked = {name: at_path(payload, name) for name in names}
    return {name: value for name, (there, value) in picked.items() if there}
