"""Which ranks a contestant may hold, and who cannot be told apart.

Source: simultaneous rank sets from pairwise tests (Mogstad, Romano, Shaikh, Wilhelm 2024).
Differs from it: Holm-adjusted paired t tests over all pairs of the board, no bootstrap. Percentile
bootstrap ranges cover 90.8 % where 95 % is claimed (12 personas, 8 scenarios).
    rank of p between 1 + number significantly better and K - number significantly worse
A pair that shares fewer than two scenarios is not tested and counts as not separable. Differences
that are all equal are tested by sign flips (see `paired`).
Shape: one mapping scenario -> mean score per contestant; scenarios may be missing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from judgeweb.judging.statistics.holm import holm
from judgeweb.judging.statistics.means import LEVEL
from judgeweb.judging.statistics.paired import t_test
from judgeweb.judging.statistics.students_t import two_sided_p_many

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Ranked:
    """One contestant. `place` is that of the mean (from 1), `best` and `worst` bound the rank.
    `scenarios` counts those it has."""

    name: str
    mean: float
    scenarios: int
    place: int
    best: int
    worst: int


@dataclass(frozen=True)
class RankSets:
    """`rows` in order of the mean, best first. `groups` are (first place, last place) of each
    maximal run of neighbours in which no pair is separable; runs may overlap, singles are not
    listed. `p_values` holds the adjusted p of each tested pair, both ways round."""

    rows: tuple[Ranked, ...]
    groups: tuple[tuple[int, int], ...]
    p_values: Mapping[tuple[str, str], float]


def rank_sets(scores: Mapping[str, Mapping[K, float]], level: float = LEVEL) -> RankSets:
    """Contestants without scores are left out. None left: no rows. One: rank 1 to 1."""
    means = {name: sum(own.values()) / len(own) for name, own in scores.items() if own}
    order = sorted(means, key=lambda name: (-means[name], name))
    p_values, better = tested(scores, order, 1 - level)
    rows = tuple(
        Ranked(
            name=name,
            mean=means[name],
            scenarios=len(scores[name]),
            place=place,
            best=1 + sum((other, name) in better for other in order),
            worst=len(order) - sum((name, other) in better for other in order),
        )
        for place, name in enumerate(order, 1)
    )
    return RankSets(rows, groups_of(order, better), p_values)


def tested(
    scores: Mapping[str, Mapping[K, float]], order: list[str], alpha: float
) -> tuple[dict[tuple[str, str], float], set[tuple[str, str]]]:
    """Adjusted p of every tested pair, and the pairs (better, worse) that are separable."""
    differences, raw = pair_tests(scores, order)
    p_values: dict[tuple[str, str], float] = {}
    better: set[tuple[str, str]] = set()
    for (a, b), p in zip(raw, holm(list(raw.values())), strict=True):
        p_values[a, b] = p_values[b, a] = p
        if p < alpha:
            better.add((a, b) if differences[a, b] > 0 else (b, a))
    return p_values, better


def pair_tests(
    scores: Mapping[str, Mapping[K, float]], order: list[str]
) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]]:
    """Mean difference and raw p of each pair with at least two shared scenarios."""
    if len(order) < 2:
        return {}, {}
    import numpy as np

    scenarios = sorted({key for name in order for key in scores[name]}, key=repr)
    table = np.array([[scores[name].get(key, np.nan) for key in scenarios] for name in order])
    first, second = np.triu_indices(len(order), 1)
    d = table[first] - table[second]
    known = ~np.isnan(d)
    n = known.sum(axis=1)
    mean = np.where(known, d, 0).sum(axis=1) / np.maximum(n, 1)
    off = np.where(known, d - mean[:, None], 0)
    constant = np.where(known, d, np.inf).min(axis=1) == np.where(known, d, -np.inf).max(axis=1)
    variance = np.where(constant, 0, (off**2).sum(axis=1) / np.maximum(n - 1, 1))
    se = np.sqrt(variance / np.maximum(n, 1))
    p = two_sided_p_many(mean / np.where(se > 0, se, 1), np.maximum(n - 1, 1))
    differences: dict[tuple[str, str], float] = {}
    raw: dict[tuple[str, str], float] = {}
    for at in np.flatnonzero(n >= 2).tolist():
        pair = (order[first[at]], order[second[at]])
        differences[pair] = float(mean[at])
        # Without spread t is no number: the sign-flip test decides.
        raw[pair] = float(p[at]) if se[at] > 0 else t_test(float(mean[at]), 0.0, int(n[at]))[1]
    return differences, raw


def groups_of(order: list[str], better: set[tuple[str, str]]) -> tuple[tuple[int, int], ...]:
    """Maximal runs in `order` without a separable pair, as places; runs of one are left out."""
    separable = better | {(b, a) for a, b in better}
    groups: list[tuple[int, int]] = []
    last = 0
    for first in range(len(order)):
        # What held from an earlier start holds from a later one.
        last = max(first, last)
        while last + 1 < len(order) and not any(
            (order[at], order[last + 1]) in separable for at in range(first, last + 1)
        ):
            last += 1
        if last > first and (not groups or last + 1 > groups[-1][1]):
            groups.append((first + 1, last + 1))
    return tuple(groups)
