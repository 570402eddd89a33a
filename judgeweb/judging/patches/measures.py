"""Everything that is measured of a prediction beside its gold patch. All values lie in 0..1 (the
cosine in -1..1) and are rounded to nine decimals; 1 is best."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import pairwise

from judgeweb.judging.patches.changes import Block, Changes
from judgeweb.judging.patches.gold import Gold
from judgeweb.judging.patches.locations import (
    FAR,
    NEAR,
    closeness,
    overlap,
    scopes_of,
)
from judgeweb.judging.patches.numbers import ONE, above, exact
from judgeweb.judging.patches.similarity import (
    LONGEST,
    bag_f1,
    bag_recall,
    change_bags,
    direction,
    introduced,
    ratio,
    signed_edits,
    upper_bound,
)
from judgeweb.judging.types import FunctionSpan

Functions = Mapping[str, tuple[FunctionSpan, ...]]

MOST_BLOCKS = 2000
"""Blocks of a file that are compared with each gold block."""
ADDED_SHARE, REMOVED_SHARE = 0.7, 0.3
DEBUGGING = frozenset({"print", "breakpoint", "set_trace", "pprint"})


@dataclass(frozen=True)
class Measures:
    """`has_scopes` False: no function index of the gold files is known, and `line_recall_far`
    stands in for the scopes. `is_comparable` False: the gold patch is binary alone, and its content
    is unknown or another. `is_cut`: something was too long to be compared whole."""

    file_precision: Fraction
    file_recall: Fraction
    line_precision: Fraction
    line_recall: Fraction
    line_recall_far: Fraction
    scope_recall: Fraction
    scope_f1: Fraction
    has_scopes: bool
    change_f1: Fraction
    change_recall: Fraction
    direction: Fraction
    block_similarity: Fraction
    added_similarity: Fraction
    signed_similarity: Fraction
    undone_similarity: Fraction
    name_recall: Fraction
    hygiene: Fraction
    oversize: Fraction
    is_same: bool
    is_move: bool
    is_comparable: bool
    changes_code: bool
    is_cut: bool


def measure(gold: Gold, changes: Changes, functions: Functions, *, is_same: bool) -> Measures:
    """`changes` are the prediction's, sorted with the gold paths as source. `is_same` is known
    from the patched files; it is found in the tokens too."""
    is_same = is_same or is_same_change(gold.changes, changes)
    by_path = changes.by_path
    files = overlap(frozenset(gold.changes.paths), frozenset(changes.paths))
    line_recall_far = exact(closeness(gold.changes.blocks, by_path, FAR))
    has_scopes = bool(gold.changes.paths) and all(path in functions for path in gold.changes.paths)
    scopes = overlap(
        scopes_of(gold.changes.blocks, functions), scopes_of(changes.blocks, functions)
    )
    bags = change_bags(changes.blocks)
    shared = tuple(block for path in gold.by_path for block in by_path.get(path, ()))
    added = tuple(token for block in shared for token in block.added)
    signed = exact(ratio(gold.edits, signed_edits(shared)) if gold.is_move else 0.0)
    undone = exact(gold.undone_likeness if gold.is_move else 0.5)
    recall = above(signed, undone) if gold.is_move else exact(bag_recall(gold.bags, bags))
    return Measures(
        file_precision=exact(files.precision),
        file_recall=exact(files.recall),
        line_precision=exact(closeness(changes.blocks, gold.by_path, NEAR)),
        line_recall=exact(closeness(gold.changes.blocks, by_path, NEAR)),
        line_recall_far=line_recall_far,
        scope_recall=exact(scopes.recall) if has_scopes else line_recall_far,
        scope_f1=exact(scopes.f1) if has_scopes else line_recall_far,
        has_scopes=has_scopes,
        change_f1=exact(bag_f1(gold.bags, bags)),
        change_recall=recall,
        direction=exact(direction(gold.bags, bags)),
        block_similarity=exact(_block_similarity(gold, by_path)),
        added_similarity=exact(ratio(gold.added, added)),
        signed_similarity=signed,
        undone_similarity=undone,
        name_recall=exact(
            len(gold.names & introduced(bags)) / len(gold.names) if gold.names else 1.0
        ),
        hygiene=_hygiene(gold.changes, changes),
        oversize=_oversize(gold.changes, changes),
        is_same=is_same,
        is_move=gold.is_move,
        is_comparable=is_same or not gold.is_binary,
        changes_code=changes.changes_code or is_same,
        is_cut=len(added) > LONGEST or max(map(len, by_path.values()), default=0) > MOST_BLOCKS,
    )


# --- blocks -------------------------------------------------------------------------------------


def _block_similarity(gold: Gold, by_path: Mapping[str, Sequence[Block]]) -> float:
    """Per gold block the best of the predicted blocks of its file, weighed by ln(1 + tokens)."""
    counted = {
        path: [(block, Counter(block.added), Counter(block.removed)) for block in blocks]
        for path, blocks in by_path.items()
        if path in gold.by_path
        for blocks in [blocks[:MOST_BLOCKS]]
    }
    weights = [math.log1p(block.size) for block in gold.changes.blocks]
    best = (
        weight * _best(block, gold, counted.get(block.path, []))
        for block, weight in zip(gold.changes.blocks, weights, strict=True)
    )
    total = math.fsum(weights)
    return math.fsum(best) / total if total else 0.0


def _best(
    block: Block, gold: Gold, others: Sequence[tuple[Block, Counter[str], Counter[str]]]
) -> float:
    """Blocks are looked at in the order of what they can reach at most, and no longer than any
    of them can still win."""
    added, removed = gold.counts[block]
    bounds = [
        ADDED_SHARE * upper_bound(added, plus) + REMOVED_SHARE * upper_bound(removed, minus)
        for _, plus, minus in others
    ]
    best = 0.0
    for at in sorted(range(len(others)), key=lambda at: -bounds[at]):
        if bounds[at] <= best:
            break
        other = others[at][0]
        found = ADDED_SHARE * ratio(block.added, other.added) + REMOVED_SHARE * ratio(
            block.removed, other.removed
        )
        best = max(best, found)
    return best


# --- the same change ----------------------------------------------------------------------------


def is_same_change(gold: Changes, other: Changes) -> bool:
    """Token-identical blocks in order at the same places, and the same done to whole files."""
    first, second = _in_order(gold), _in_order(other)
    return (
        gold.operations == other.operations
        and len(first) == len(second)
        and bool(first or any(operation[-1] for operation in gold.operations))
        and all(map(_is_same_block, first, second))
    )


def _in_order(changes: Changes) -> list[Block]:
    return sorted(changes.blocks, key=lambda block: block.path)


def _is_same_block(one: Block, other: Block) -> bool:
    """Lines may be broken otherwise; where they are not, the indentation is the same too."""
    return (
        (one.path, one.place, one.removed, one.added)
        == (other.path, other.place, other.removed, other.added)
        and one.is_placed
        and (len(one.indents) != len(other.indents) or one.indents == other.indents)
    )


# --- size and left-overs ------------------------------------------------------------------------


def _oversize(gold: Changes, other: Changes) -> Fraction:
    return min(ONE, Fraction(3, 2) * Fraction(gold.lines + 2, other.lines + 2))


def _hygiene(gold: Changes, other: Changes) -> Fraction:
    """1 / (1 + half for each scratch file, each other source file, and for prints left over)."""
    scratch = len(set(other.scratch) - set(gold.scratch))
    extra = len(set(other.paths) - set(gold.paths))
    prints = int(_debugging(other) > _debugging(gold))
    return ONE / (1 + Fraction(scratch + extra + prints, 2))


def _debugging(changes: Changes) -> int:
    """Calls that print or stop, added on balance."""
    return sum(_calls(block.added) - _calls(block.removed) for block in changes.blocks)


def _calls(tokens: Sequence[str]) -> int:
    return sum(token in DEBUGGING and after == "(" for token, after in pairwise(tokens))


def metrics(measures: Measures) -> dict[str, Fraction]:
    """The measured quantities by name."""
    values = {field.name: getattr(measures, field.name) for field in fields(measures)}
    return {name: value for name, value in values.items() if isinstance(value, Fraction)}
