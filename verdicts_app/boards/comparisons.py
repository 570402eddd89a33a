"""Which rows of a board differ: intervals, differences to control, rank ranges, tie groups."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from judgeweb.judging.statistics.means import LEVEL, mean_t
from judgeweb.judging.statistics.paired import paired_difference, shared
from judgeweb.judging.statistics.ranks import rank_sets
from judgeweb.judging.statistics.scenario_means import FEWEST_FOR_INTERVAL

Means = Mapping[Hashable, float]
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
    found = mean_t(means) if len(means) >= FEWEST_FOR_INTERVAL else None
    if found is None or found.lo is None or found.hi is None:
        return None
    return Interval(found.lo, found.hi)


def paired(row: Means, other: Means) -> Paired | None:
    """row minus other on the scenarios both have; None where they share none."""
    own, others = shared(row, other)
    if not own:
        return None
    found = paired_difference(own, others)
    if found is None:
        return Paired(own[0] - others[0], 1, None)
    enough = found.n >= FEWEST_FOR_INTERVAL
    return Paired(found.difference, found.n, Interval(found.lo, found.hi) if enough else None)


def standings(rows: Mapping[str, Means]) -> dict[str, Standing]:
    """Rank ranges and tie groups, in order of the mean, best first.

    The core's groups may overlap; a table has each row once, so a group starts where the last
    one ends.
    """
    found = rank_sets(rows)
    places: dict[str, Standing] = {}
    group = 0
    together: list[str] = []
    for row in found.rows:
        apart = (found.p_values.get((row.name, other), 1.0) < 1 - LEVEL for other in together)
        if not together or any(apart):
            group, together = group + 1, []
        together.append(row.name)
        places[row.name] = Standing(row.best, row.worst, group)
    return places
