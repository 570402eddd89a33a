"""How often patches with such a total resolved their issue, elsewhere.

Fitted on 2,436 predictions of ten agents of 2024 for the 300 instances of SWE-bench Lite (470
resolved). It is shown beside the score until an installation has outcomes of its own, and moves
no score.
"""

import math
from fractions import Fraction
from typing import NamedTuple

LOGIT = {"ground-truth": (-4.4313, 5.9247), "swebench": (-4.6192, 6.0755)}
"""Intercept and slope of the logit over total / 100, by mode."""


class Band(NamedTuple):
    """Totals above `above` up to `to` (the first band holds 0 too). `resolved` is the percentage
    that resolved; `of` how many there were, None where that was not published."""

    above: Fraction
    to: Fraction
    resolved: int | float
    of: int | None


BANDS = (
    Band(Fraction(0), Fraction(10), 1.5, 839),
    Band(Fraction(10), Fraction(30), 8, None),
    Band(Fraction(30), Fraction(50), 15, None),
    Band(Fraction(50), Fraction(70), 22, None),
    Band(Fraction(70), Fraction(90), 49, 259),
    Band(Fraction(90), Fraction(999, 10), 94, 35),
    Band(Fraction(999, 10), Fraction(100), 97, 96),
)
"""Measured with the ground-truth total."""


def probability(mode: str, total: Fraction) -> Fraction:
    """P(resolved) by the mode's fallback logit, rounded to six decimals."""
    intercept, slope = LOGIT[mode]
    value = 1 / (1 + math.exp(-(intercept + slope * float(total) / 100)))
    return Fraction(round(value * 10**6), 10**6)


def band_of(total: Fraction) -> Band:
    return next(band for band in BANDS if total <= band.to)
