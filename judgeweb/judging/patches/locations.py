"""Where a patch changes a file, beside where the gold patch does: lines and scopes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from judgeweb.judging.patches.changes import Block
from judgeweb.judging.types import FunctionSpan

NEAR, FAR = 8, 20
"""The distances (old lines) over which closeness falls to 1/e."""
MODULE = ""
LONGEST_SCOPE = 50_000

Scope = tuple[str, str]
"""Path and dotted name; the name is MODULE outside of functions and classes."""


def distance(one: Block, other: Block) -> float:
    """Old lines between two blocks, 0 where they touch; infinite between files."""
    if one.path != other.path or not one.is_placed or not other.is_placed:
        return math.inf
    return max(0, one.first - other.last, other.first - one.last)


def closeness(of: Sequence[Block], to: Mapping[str, Sequence[Block]], tau: int) -> float:
    """sum w exp(-nearest / tau) / sum w over the blocks `of`, w = ln(1 + lines); `to` by path.
    0 without blocks."""
    weights = [math.log1p(block.lines) for block in of]
    total = math.fsum(weights)
    if not total:
        return 0.0
    near = (
        weight * math.exp(-_nearest(block, to.get(block.path, ())) / tau)
        for block, weight in zip(of, weights, strict=True)
    )
    return math.fsum(near) / total


def _nearest(block: Block, others: Iterable[Block]) -> float:
    return min((distance(block, other) for other in others), default=math.inf)


def scopes_of(
    blocks: Iterable[Block], functions: Mapping[str, tuple[FunctionSpan, ...]]
) -> frozenset[Scope]:
    """The innermost functions and classes that the blocks touch, in files that are indexed."""
    return frozenset(
        (block.path, scope_at(functions[block.path], line))
        for block in blocks
        if block.path in functions and block.is_placed
        for line in _lines(block)
    )


def _lines(block: Block) -> Iterable[int]:
    return (block.first,) if block.is_insertion else range(block.first, block.last + 1)


def scope_at(spans: tuple[FunctionSpan, ...], line: int) -> str:
    """The innermost scope around an old line, MODULE outside of all."""
    return _scopes_by_line(spans).get(line, MODULE)


@lru_cache(maxsize=64)
def _scopes_by_line(spans: tuple[FunctionSpan, ...]) -> Mapping[int, str]:
    by_line: dict[int, str] = {}
    for span in sorted(spans, key=lambda span: (span.first - span.last, span.name)):
        lines = range(span.first, min(span.last, span.first + LONGEST_SCOPE) + 1)
        by_line.update(dict.fromkeys(lines, span.name))
    return by_line


class Overlap(NamedTuple):
    """Two sets compared. Nothing wanted: recall 1; nothing given: precision 0."""

    recall: float
    precision: float

    @property
    def f1(self) -> float:
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


def overlap(
    wanted: frozenset[str] | frozenset[Scope], given: frozenset[str] | frozenset[Scope]
) -> Overlap:
    shared = len(wanted & given)
    return Overlap(shared / len(wanted) if wanted else 1.0, shared / len(given) if given else 0.0)
