"""The figure a board ranks by: every scenario counts once, however often it was run.

Source: spec/statistics.md section 1.
    mu = 1/S * sum over scenarios of (sum of the scenario's totals / their number)
Shape: one cell per scenario, holding the exact sum of its totals and how many they are, as the
roll-ups keep them. The mean is an exact fraction; standard error and interval are floats.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from judgeweb.judging.statistics.means import LEVEL, mean_clustered, mean_t

K = TypeVar("K", bound=Hashable)
# Below this many scenarios a board shows no interval: it would be wide and hardly trustworthy.
FEWEST_FOR_INTERVAL = 5


@dataclass(frozen=True)
class Cell:
    """One scenario: the sum of `n` totals, in any exact unit (points, or fixed-point integers)."""

    sum: Fraction | int
    n: int

    @property
    def mean(self) -> Fraction:
        return Fraction(self.sum) / self.n


@dataclass(frozen=True)
class ScenarioMean:
    """`n` counts totals, `scenarios` the cells that have any. `se`, `lo`, `hi` are None for a
    single scenario (or a single family)."""

    mean: Fraction
    scenarios: int
    n: int
    se: float | None
    lo: float | None
    hi: float | None


def scenario_mean(
    cells: Mapping[K, Cell],
    families: Mapping[K, Hashable] | None = None,
    level: float = LEVEL,
) -> ScenarioMean | None:
    """The mean of the scenario means with t(S-1), or with CR1 over the families that scenarios
    are named to belong to (scenarios of one code base; one that is not named stands alone).

    Cells without totals are left out. No cell left: None.
    """
    used = {key: cell for key, cell in cells.items() if cell.n}
    if not used:
        return None
    means = {key: cell.mean for key, cell in used.items()}
    exact = sum(means.values(), Fraction(0)) / len(means)
    values = [float(mean) for mean in means.values()]
    if families:
        # A pair, so that a scenario that stands alone is no family of the same name.
        labels = [(True, families[key]) if key in families else (False, key) for key in means]
        spread = mean_clustered(values, labels, level)
    else:
        spread = mean_t(values, level)
    assert spread is not None
    n = sum(cell.n for cell in used.values())
    return ScenarioMean(exact, len(used), n, spread.se, spread.lo, spread.hi)


def cells_of(totals: Iterable[tuple[K, Fraction | int | float]]) -> dict[K, Cell]:
    """Cells from single totals, as (scenario, total). Floats are taken at their exact value."""
    cells: dict[K, Cell] = {}
    for scenario, total in totals:
        before = cells.get(scenario, Cell(0, 0))
        cells[scenario] = Cell(Fraction(before.sum) + Fraction(total), before.n + 1)
    return cells
