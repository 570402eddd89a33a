"""Two contestants on pass or fail of the same scenarios.

Source: McNemar 1947, exact (binomial) form: only the scenarios count on which they differ.
    p = min(1, 2 * P(X <= min(b, c))), X ~ Binomial(b + c, 1/2)
Shape: b: how many the first passed and the second failed, c: the other way round.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided p. No scenario on which they differ: 1. Raise ValueError below 0."""
    if b < 0 or c < 0:
        raise ValueError(f"{b} and {c} are no counts")
    n = b + c
    tail = sum(comb(n, k) for k in range(min(b, c) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**n)))
