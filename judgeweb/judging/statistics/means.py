"""The mean of scores with its interval, from independent or from clustered scores.

Source: Student 1908; Miller 2024, "Adding Error Bars to Evals" (clustered standard errors).
Differs from it: the clustered variance carries the small-sample factor C/(C-1) (CR1) and the
interval is t(C-1); Miller's own (CR0) is too narrow with few clusters.
Shape: values: one number per observation; clusters: its cluster's label, in the same order.
Score: that of the values; every figure is a float in their unit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from judgeweb.judging.statistics.students_t import t_quantile

LEVEL = 0.95


@dataclass(frozen=True)
class Mean:
    """`se`, `lo` and `hi` are None where one observation (or one cluster) tells nothing of the
    spread. `df` are the degrees of freedom of the interval, `n` counts observations."""

    mean: float
    n: int
    df: int
    se: float | None
    lo: float | None
    hi: float | None


def mean_t(values: Sequence[float], level: float = LEVEL) -> Mean | None:
    """m +- t(n-1) s / sqrt n, s with n-1.

    Empty: None. Single: the mean without an interval. Constant: se 0, lo = hi = mean.
    """
    n = len(values)
    if n == 0:
        return None
    mean = fsum(values) / n
    if n == 1:
        return Mean(mean, 1, 0, None, None, None)
    variance = fsum((value - mean) ** 2 for value in values) / (n - 1)
    return with_interval(mean, n, n - 1, sqrt(variance / n), level)


def mean_clustered(
    values: Sequence[float], clusters: Sequence[Hashable], level: float = LEVEL
) -> Mean | None:
    """m +- t(C-1) se, se^2 = C/(C-1) * sum over clusters of (sum of (y - m))^2 / n^2.

    Empty: None. One cluster: the mean without an interval. Constant: se 0. Each observation its
    own cluster: the same as `mean_t`. Raise ValueError for lists of different lengths.
    """
    n = len(values)
    if n == 0:
        return None
    mean = fsum(values) / n
    sums: defaultdict[Hashable, list[float]] = defaultdict(list)
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster].append(value - mean)
    c = len(sums)
    if c == 1:
        return Mean(mean, n, 0, None, None, None)
    miller = fsum(fsum(errors) ** 2 for errors in sums.values()) / n**2
    return with_interval(mean, n, c - 1, sqrt(miller * c / (c - 1)), level)


def with_interval(mean: float, n: int, df: int, se: float, level: float) -> Mean:
    half = t_quantile(level, df) * se
    return Mean(mean, n, df, se, mean - half, mean + half)
