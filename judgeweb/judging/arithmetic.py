"""Exact arithmetic of totals. Everything is a Fraction; rounding happens for display alone.

Formulas (spec/judging.md 3): a dimension of weight w with marks v1..vn gives w x sum(v) / (10 n).
Totals lie from 0 to 100, 100 best.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from judgeweb.judging.documents import Dimension, RubricDocument
from judgeweb.judging.strict import as_fraction, is_mapping
from judgeweb.judging.text import shown
from judgeweb.judging.types import Mark, Stated, Step

PERSONA = "persona"


def round_half_up(value: Fraction, digits: int) -> str:
    """`value` with exactly `digits` decimals; a half goes away from zero. 79.85 -> "79.9"."""
    # In whole numbers: a Fraction costs ten times as much, and every verdict shows dozens.
    whole_parts, unit = abs(value.numerator) * 10**digits, value.denominator
    scaled = (2 * whole_parts + unit) // (2 * unit)
    whole, rest = divmod(scaled, 10**digits)
    sign = "-" if value < 0 and scaled else ""
    return f"{sign}{whole}.{rest:0{digits}d}" if digits else f"{sign}{whole}"


def plain(value: Fraction | None, digits: int = 6) -> str:
    """`value` as the working shows it: at most `digits` decimals, no trailing zeros."""
    if value is None:
        return "–"
    if value.denominator == 1:
        return str(value.numerator)
    text = round_half_up(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def weight_of(dimension: Dimension) -> Fraction:
    """A dimension's weight in percent, exact."""
    return _exact(dimension.weight)


@lru_cache(maxsize=256)
def _exact(weight: Decimal) -> Fraction:
    """The few weights that rubrics have are asked for with every verdict."""
    return Fraction(weight)


def added(values: Iterable[Fraction]) -> Fraction:
    """The sum, brought to its lowest terms once instead of at every step."""
    top, bottom = 0, 1
    for value in values:
        top = top * value.denominator + value.numerator * bottom
        bottom *= value.denominator
    return Fraction(top, bottom)


def marked_part(dimension: Dimension, marks: Sequence[Mark]) -> Step:
    """The points of one dimension from its marks, which share its weight equally."""
    share = weight_of(dimension) / (10 * len(marks))
    factor = plain(share)
    terms = " + ".join(f"{factor}×{plain(mark.value)}" for mark in marks)
    points = share * added(mark.value for mark in marks)
    return Step(dimension.key, terms, points)


def total_step(points: Iterable[Fraction]) -> Step:
    """The sum of the parts, from their exact values."""
    parts = list(points)
    return Step("total", " + ".join(map(plain, parts)), added(parts))


def without_persona(
    rubric: RubricDocument, parts: Mapping[str, Fraction | None]
) -> Fraction | None:
    """The total of the other dimensions with their weights scaled to 100.

    None where persona is all there is. The same as the total where the rubric has no persona.
    """
    others = [dimension for dimension in rubric.dimensions if dimension.key != PERSONA]
    weight = added(weight_of(dimension) for dimension in others)
    points = added(parts[dimension.key] or Fraction(0) for dimension in others)
    return points * 100 / weight if weight else None


def band_of(dimension: Dimension, value: Fraction) -> str:
    """The band a mark falls in, as "7-8": the highest that it reaches. "" without bands."""
    whole = value.numerator // value.denominator
    reached = [band for band in dimension.bands if band.low <= whole]
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
        if not is_mapping(value) or key not in value:
            return False, None
        value = value[key]
    return True, value


def pick_stated(payload: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The figures of these dotted names that the judge stated, as it stated them."""
    picked = {name: at_path(payload, name) for name in names}
    return {name: value for name, (there, value) in picked.items() if there}
