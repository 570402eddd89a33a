"""Exact figures as JSON and CSV numbers."""

from fractions import Fraction

DIGITS = 12
NANO = 10**9


def number(value: Fraction | None) -> int | float | None:
    """The nearest number of 12 decimals (half to even); whole numbers without a point.

    A float holds 15 significant digits, so a total up to 100 keeps all twelve."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 else float(round(value, DIGITS))


def dollars(nano_usd: int | None) -> int | float | None:
    return None if nano_usd is None else number(Fraction(nano_usd, NANO))
