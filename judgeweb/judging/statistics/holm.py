"""p values adjusted for how many tests were made.

Source: Holm 1979 (family-wise error, any dependence); Benjamini and Hochberg 1995 (share of false
findings). Shape: p values of 0 to 1 in any order; adjusted ones come back in the same order.
Empty gives empty, a single p stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """max over the smaller ones of (m - rank) * p, rank from 0, at most 1."""
    m = len(p_values)
    adjusted = [0.0] * m
    highest = 0.0
    for rank, at in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (m - rank) * p_values[at]))
        adjusted[at] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """min over the larger ones of m / rank * p, rank from 1, at most 1."""
    m = len(p_values)
    adjusted = [0.0] * m
    lowest = 1.0
    for rank, at in sorted(enumerate(sorted(range(m), key=lambda i: p_values[i]), 1), reverse=True):
        lowest = min(lowest, p_values[at] * m / rank)
        adjusted[at] = lowest
    return adjusted
