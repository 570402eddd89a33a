"""How far two measures rise together, such as the length of answers and their totals.

Source: Pearson 1896; Fisher 1921 (the interval, on z = atanh r with standard error 1 / sqrt(n-3)).
    r = sum (x - mx)(y - my) / sqrt(sum (x - mx)^2 * sum (y - my)^2)
With one measure of 0 and 1 the same formula is the point-biserial correlation.
Shape: x and y: one number per observation, in the same order.
Score: -1 to 1; 0 where neither rises with the other in a straight line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import atanh, fsum, sqrt, tanh
from statistics import NormalDist

from judgeweb.judging.statistics.means import LEVEL

LEAST = 5
"""Fewer pairs lie near some line whatever they mean."""


class NoCorrelation(StrEnum):
    """Why there is none."""

    TOO_FEW = "too few"
    CONSTANT_X = "x is constant"
    CONSTANT_Y = "y is constant"


@dataclass(frozen=True)
class Correlation:
    """The interval at r = 1 and -1 is that point: nothing was off the line."""

    r: float
    n: int
    lo: float
    hi: float


def pearson(
    x: Sequence[float], y: Sequence[float], level: float = LEVEL
) -> Correlation | NoCorrelation:
    """Fewer than LEAST pairs or a constant measure: the reason. Raise ValueError for lists of
    different lengths."""
    n = len(x)
    if n != len(y):
        raise ValueError(f"{n} and {len(y)} observations do not make pairs")
    if n < LEAST:
        return NoCorrelation.TOO_FEW
    if min(x) == max(x):
        return NoCorrelation.CONSTANT_X
    if min(y) == max(y):
        return NoCorrelation.CONSTANT_Y
    dx, dy = _from_mean(x), _from_mean(y)
    product = fsum(one * other for one, other in zip(dx, dy, strict=True))
    r = product / sqrt(fsum(one * one for one in dx) * fsum(one * one for one in dy))
    # The last digit of a sum of floats may lie beyond the ends.
    return interval_of(max(-1.0, min(1.0, r)), n, level)


def interval_of(r: float, n: int, level: float = LEVEL) -> Correlation:
    """r with its interval. Raise ValueError for fewer than LEAST pairs."""
    if n < LEAST:
        raise ValueError(f"{n} pairs: an interval takes at least {LEAST}")
    if abs(r) > 1 - 1e-12:
        end = round(r)
        return Correlation(float(end), n, float(end), float(end))
    half = NormalDist().inv_cdf((1 + level) / 2) / sqrt(n - 3)
    return Correlation(r, n, tanh(atanh(r) - half), tanh(atanh(r) + half))


def _from_mean(values: Sequence[float]) -> list[float]:
    mean = fsum(values) / len(values)
    return [value - mean for value in values]
