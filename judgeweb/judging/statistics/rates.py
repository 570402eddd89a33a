"""The interval of a rate.

Source: Wilson 1927.
    centre = (p + z^2/2n) / (1 + z^2/n), half = z sqrt(p(1-p)/n + z^2/4n^2) / (1 + z^2/n)
Score: 0 to 1. Unlike the textbook interval it stays inside and is not empty at 0 and n.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from judgeweb.judging.statistics.means import LEVEL


@dataclass(frozen=True)
class Rate:
    rate: float
    n: float
    lo: float
    hi: float


def wilson(found: float, n: float, level: float = LEVEL) -> Rate | None:
    """`found` of `n`. Both may be fractions: for repeated runs of a scenario divide both by the
    design effect.

    n = 0: None. found = 0: lo is 0. found = n: hi is 1. Raise ValueError outside 0 <= found <= n.
    """
    if not 0 <= found <= n:
        raise ValueError(f"{found} of {n} is no rate")
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    p = found / n
    denominator = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / denominator
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / denominator
    lo = 0.0 if found == 0 else max(0.0, centre - half)
    hi = 1.0 if found == n else min(1.0, centre + half)
    return Rate(p, n, lo, hi)
