"""From floating measurements to exact numbers."""

from fractions import Fraction

DECIMALS = 9

ZERO, ONE = Fraction(0), Fraction(1)


def exact(value: float) -> Fraction:
    """A measured quantity, rounded to nine decimals, half to even. What is computed from it is
    exact, and what the last bits of a platform's `exp` or `log` are does not reach it."""
    return Fraction(round(value * 10**DECIMALS), 10**DECIMALS)


def above(value: Fraction, floor: Fraction) -> Fraction:
    """0 up to `floor`, 1 at 1, linear between them."""
    return max(ZERO, (value - floor) / (1 - floor)) if floor < 1 else ZERO


def clip(value: Fraction) -> Fraction:
    """`value`, but from 0 to 1."""
    return min(max(value, ZERO), ONE)
