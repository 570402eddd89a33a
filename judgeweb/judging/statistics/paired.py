"""The difference of two contestants on the scenarios that both have.

Source: Miller 2024 (paired differences); Fisher 1935 (sign-flip permutation).
    d_s = a_s - b_s, se = sd(d) / sqrt S, t = mean(d) / se with S-1 degrees of freedom
Shape: a and b: one number per shared scenario, in the same order. Differences: a minus b.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, inf, sqrt
from statistics import correlation, stdev
from typing import TypeVar

from judgeweb.judging.statistics.means import LEVEL
from judgeweb.judging.statistics.students_t import t_quantile, two_sided_p

K = TypeVar("K", bound=Hashable)
# Below this many scenarios the exact test is shown instead of the t test.
EXACT_BELOW = 10
# 2^20 flips take about a second.
MOST_FOR_EXACT = 20


@dataclass(frozen=True)
class PairedDifference:
    """`p` is two-sided, of the t test. `dz` is the difference in its own standard deviations.
    `correlation` and `dz` are None where a list (or the difference) is constant;
    `se_unpaired` shows what pairing gained."""

    difference: float
    n: int
    df: int
    se: float
    t: float
    p: float
    lo: float
    hi: float
    dz: float | None
    correlation: float | None
    se_unpaired: float


def shared(a: Mapping[K, float], b: Mapping[K, float]) -> tuple[list[float], list[float]]:
    """The values of the keys that both have, in a's order."""
    keys = [key for key in a if key in b]
    return [a[key] for key in keys], [b[key] for key in keys]


def paired_difference(
    a: Sequence[float], b: Sequence[float], level: float = LEVEL
) -> PairedDifference | None:
    """Fewer than two scenarios: None. Raise ValueError for lists of different lengths.

    Constant difference: se 0. Where it is 0 throughout, t 0 and p 1. Where it is not, t is
    infinite and p is that of the sign-flip test, 2^(1-S): two equal differences prove little.
    """
    d = [x - y for x, y in zip(a, b, strict=True)]
    n = len(d)
    if n < 2:
        return None
    difference = fsum(d) / n
    sd = 0.0 if min(d) == max(d) else stdev(d)
    se = sd / sqrt(n)
    half = t_quantile(level, n - 1) * se
    t, p = t_test(difference, se, n)
    varied = min(a) != max(a) and min(b) != max(b)
    return PairedDifference(
        difference=difference,
        n=n,
        df=n - 1,
        se=se,
        t=t,
        p=p,
        lo=difference - half,
        hi=difference + half,
        dz=difference / sd if sd else None,
        correlation=correlation(a, b) if varied else None,
        se_unpaired=sqrt((stdev(a) ** 2 + stdev(b) ** 2) / n),
    )


def t_test(difference: float, se: float, n: int) -> tuple[float, float]:
    """t and its two-sided p; see `paired_difference` for se 0."""
    if se:
        t = difference / se
        return t, two_sided_p(t, n - 1)
    return (inf if difference > 0 else -inf, 2.0 ** (1 - n)) if difference else (0.0, 1.0)


def sign_flip_p(d: Sequence[float]) -> float | None:
    """Exact two-sided p: the share of the 2^n sign patterns whose sum is at least as far from 0.

    Empty: None. All zero: 1. Single: 1. Raise ValueError for more than MOST_FOR_EXACT values.
    """
    if not d:
        return None
    if len(d) > MOST_FOR_EXACT:
        raise ValueError(f"{len(d)} differences: the exact test takes at most {MOST_FOR_EXACT}")
    sums = [0.0]
    for size in (abs(value) for value in d):
        sums = [one + signed for one in sums for signed in (size, -size)]
    # Sums of the same numbers in another order may differ in their last digits.
    reached = abs(fsum(d)) * (1 - 1e-12)
    return sum(abs(one) >= reached for one in sums) / len(sums)
