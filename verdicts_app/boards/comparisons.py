"""Which rows of a board differ: intervals, differences to control, rank ranges, tie groups.

Paired t tests over the scenarios that two rows share, Holm-adjusted over all pairs of the board.
A row's rank lies between 1 + the rows significantly better and K - the rows significantly worse.
A tie group is a maximal run of neighbours, in order of the mean, in which no pair is separable.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

LEAST_FOR_INTERVAL = 5
LEVEL = 0.05

Means = Mapping[int, float]
"""Scenario -> the row's mean on it."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Paired:
    """A mean difference on the scenarios that two rows share; no interval below five of them."""

    mean: float
    scenarios: int
    interval: Interval | None

    @property
    def is_clear(self) -> bool:
        return self.interval is not None and not self.interval.holds(0)


@dataclass(frozen=True, slots=True)
class Standing:
    """A row's rank range and its tie group, both counted from 1."""

    best: int
    worst: int
    group: int


def mean_interval(means: Sequence[float]) -> Interval | None:
    """t(S-1) on the scenario means; None below five scenarios."""
    count = len(means)
    if count < LEAST_FOR_INTERVAL:
        return None
    middle = sum(means) / count
    spread = sqrt(sum((value - middle) ** 2 for value in means) / (count - 1))
    reach = _t_quantile(count - 1) * spread / sqrt(count)
    return Interval(middle - reach, middle + reach)


def paired(row: Means, other: Means) -> Paired | None:
    """row minus other on the scenarios both have; None where they share none."""
    shared = [row[key] - other[key] for key in sorted(row.keys() & other.keys())]
    if not shared:
        return None
    return Paired(
        mean=sum(shared) / len(shared),
        scenarios=len(shared),
        interval=mean_interval(shared),
    )


def standings(rows: Sequence[Means]) -> list[Standing]:
    """Rank ranges and tie groups of rows that come in order of their mean, best first."""
    if not rows:
        return []
    separable = _holm(_pair_tests(rows)) < LEVEL
    count = len(rows)
    places = []
    group, start = 1, 0
    for at in range(count):
        if separable[start:at, at].any():
            group, start = group + 1, at
        better = int(separable[:at, at].sum())
        worse = int(separable[at, at + 1 :].sum())
        places.append(Standing(1 + better, count - worse, group))
    return places


def _t_quantile(df: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 1 - LEVEL / 2))


def _pair_tests(rows: Sequence[Means]) -> "np.ndarray":
    """Two-sided p of each pair's paired t test as a K x K array; 1 below five shared scenarios.

    Differences that are all the same and not 0 have no spread: p is 0.
    """
    import numpy as np
    from scipy.special import stdtr

    scenarios = sorted(set().union(*rows))
    table = np.array([[row.get(key, np.nan) for key in scenarios] for row in rows])
    p = np.ones((len(rows), len(rows)))
    for at in range(len(rows) - 1):
        differences = table[at] - table[at + 1 :]
        shared = ~np.isnan(differences)
        count = shared.sum(axis=1)
        held = np.where(shared, differences, 0.0)
        mean = held.sum(axis=1) / np.maximum(count, 1)
        square = np.where(shared, held - mean[:, None], 0.0) ** 2
        error = np.sqrt(square.sum(axis=1) / np.maximum(count - 1, 1) / np.maximum(count, 1))
        flat = error < 1e-12
        t = np.abs(mean) / np.where(flat, 1.0, error)
        tested = np.where(flat, np.abs(mean) < 1e-12, 2 * stdtr(np.maximum(count - 1, 1), -t))
        enough = count >= LEAST_FOR_INTERVAL
        p[at, at + 1 :] = p[at + 1 :, at] = np.where(enough, tested, 1.0)
    return p


def _holm(p: "np.ndarray") -> "np.ndarray":
    """Holm's adjusted p of all pairs above the diagonal, as a symmetric array."""
    import numpy as np

    upper = np.triu_indices(len(p), 1)
    raw = p[upper]
    order = np.argsort(raw, kind="stable")
    steps = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1))
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(steps, 1.0)
    whole = np.ones_like(p)
    whole[upper] = adjusted
    whole.T[upper] = adjusted
    return whole
