"""One thing judged several times: repeats of one judge, and several judges beside one another.

What is asked for k times counts with the mean of the valid ones where at least half of the k are
valid; else it is unjudged. Several judges likewise: each with its own mean, and the mean over
judges where at least half of those asked are valid; else the result is inconclusive. A word
(winner, rating, found or not) is that of n // 2 + 1 of the n asked, so that one valid judge of
three, or one of two, names nobody.
Source: spec/judging.md 3.6. The standard deviation is the sample's (divisor n - 1).
Score: that of the totals; spread is in their unit, 0 best.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, sqrt
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def is_enough(valid: int, asked: int) -> bool:
    """Whether at least half are valid, and any at all."""
    return valid > 0 and 2 * valid >= asked


def needed(asked: int) -> int:
    """How many of them make a majority."""
    return asked // 2 + 1


def majority(votes: Iterable[T], asked: int) -> T | None:
    """What more than half of those asked said. None where they did not agree, or too few did."""
    counts = Counter(votes).most_common(1)
    return counts[0][0] if counts and counts[0][1] >= needed(asked) else None


@dataclass(frozen=True)
class Spread:
    """Of two values or more. `variance` is exact, `sd` its root as a float."""

    low: Fraction
    high: Fraction
    variance: Fraction

    @property
    def range(self) -> Fraction:
        return self.high - self.low

    @property
    def sd(self) -> float:
        return sqrt(self.variance)


def spread(values: Sequence[Fraction]) -> Spread | None:
    """None for fewer than two values: one says nothing of the spread. Constant: all 0."""
    n = len(values)
    if n < 2:
        return None
    middle = sum(values, Fraction(0)) / n
    squares = sum(((value - middle) ** 2 for value in values), Fraction(0))
    return Spread(min(values), max(values), squares / (n - 1))


def whole_sd(values: Sequence[int]) -> int:
    """The standard deviation of two whole numbers or more, rounded down: sums of it stay exact."""
    n, total = len(values), sum(values)
    return isqrt((n * sum(value * value for value in values) - total * total) // (n * (n - 1)))
