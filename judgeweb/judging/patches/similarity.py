"""How alike two changes are, from 0 to 1. Sources: Ratcliff and Metzener 1988 (the ratio of
matching pieces, as in `difflib`), bags of n-grams with moved code cancelled, cosine."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from judgeweb.judging.patches.changes import Block
from judgeweb.judging.patches.tokens import is_name, weight

LONGEST = 1500
"""Tokens of a sequence that are compared."""
MOST_STEPS = 400_000
"""Steps after which no further pieces are looked for: hostile repetition costs no more."""

Gram = tuple[str, ...]
Edit = tuple[str, str | int]


class Bags(NamedTuple):
    """What a patch adds on balance, and what it removes: moved code cancels."""

    plus: Mapping[Gram, int]
    minus: Mapping[Gram, int]

    @property
    def is_empty(self) -> bool:
        return not self.plus and not self.minus


# --- sequences ----------------------------------------------------------------------------------


def ratio(gold: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """Ratcliff-Obershelp: twice the matching tokens over all tokens. Two empty sequences: 1."""
    gold, other = gold[:LONGEST], other[:LONGEST]
    if not gold and not other:
        return 1.0
    if gold == other:
        return 1.0
    return 2 * _matching(gold, other) / (len(gold) + len(other))


def upper_bound(gold: Counter[str], other: Counter[str]) -> float:
    """What `ratio` of the counted tokens cannot exceed."""
    size = gold.total() + other.total()
    return 2 * (gold & other).total() / size if size else 1.0


def _matching(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    places: dict[Hashable, list[int]] = {}
    for at, token in enumerate(b):
        places.setdefault(token, []).append(at)
    open_ranges = [(0, len(a), 0, len(b))]
    matching = steps = 0
    while open_ranges and steps < MOST_STEPS:
        a_from, a_to, b_from, b_to = open_ranges.pop()
        i, j, size, took = _longest(a, places, (a_from, a_to, b_from, b_to))
        steps += took
        if not size:
            continue
        matching += size
        if a_from < i and b_from < j:
            open_ranges.append((a_from, i, b_from, j))
        if i + size < a_to and j + size < b_to:
            open_ranges.append((i + size, a_to, j + size, b_to))
    return matching


def _longest(
    a: Sequence[Hashable], places: Mapping[Hashable, list[int]], within: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    """The longest piece that both ranges hold, the first of equals: (in a, in b, size), and the
    steps that it took."""
    a_from, a_to, b_from, b_to = within
    best_i, best_j, best = a_from, b_from, 0
    steps = a_to - a_from
    lengths: dict[int, int] = {}
    for i in range(a_from, a_to):
        longer: dict[int, int] = {}
        found = places.get(a[i], ())
        for at in range(bisect_left(found, b_from), len(found)):
            j = found[at]
            if j >= b_to:
                break
            size = longer[j] = lengths.get(j - 1, 0) + 1
            if size > best:
                best_i, best_j, best = i - size + 1, j - size + 1, size
        steps += len(longer)
        lengths = longer
    return best_i, best_j, best, steps


def signed_edits(blocks: Iterable[Block]) -> tuple[Edit, ...]:
    """What the blocks take out and put in, in the order of the file, what both sides of a block
    share left out. Where that is all, its indentation is what changes: (sign, width)."""
    edits: list[Edit] = []
    for block in blocks:
        here = list(_edits(block)) or list(block.indents)
        edits += here
        if len(edits) > LONGEST:
            break
    return tuple(edits[:LONGEST])


def _edits(block: Block) -> Iterable[Edit]:
    removed, added = block.removed[:LONGEST], block.added[:LONGEST]
    matcher = SequenceMatcher(None, removed, added, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag != "equal":
            yield from (("-", token) for token in removed[i:i_end])
            yield from (("+", token) for token in added[j:j_end])


# --- bags ---------------------------------------------------------------------------------------


def _grams(tokens: Sequence[str], n: int) -> Iterable[Gram]:
    return (tuple(tokens[at : at + n]) for at in range(len(tokens) - n + 1))


def change_bags(blocks: Iterable[Block], n: int = 1) -> Bags:
    """D(+) = (added - removed)+ and D(-) = (removed - added)+ of the n-grams within blocks."""
    added: Counter[Gram] = Counter()
    removed: Counter[Gram] = Counter()
    for block in blocks:
        added.update(_grams(block.added, n))
        removed.update(_grams(block.removed, n))
    return Bags(added - removed, removed - added)


def gram_weight(gram: Gram) -> float:
    """The mean weight of its tokens."""
    return math.fsum(map(weight, gram)) / len(gram)


def _mass(bag: Mapping[Gram, int]) -> float:
    return math.fsum(gram_weight(gram) * count for gram, count in bag.items())


def _shared(gold: Mapping[Gram, int], other: Mapping[Gram, int]) -> float:
    return math.fsum(
        gram_weight(gram) * min(count, other.get(gram, 0)) for gram, count in gold.items()
    )


def bag_f1(gold: Bags, other: Bags) -> float:
    """2 sum w min / (sum w gold + sum w other). Two empty changes: 1."""
    size = _mass(gold.plus) + _mass(gold.minus) + _mass(other.plus) + _mass(other.minus)
    shared = _shared(gold.plus, other.plus) + _shared(gold.minus, other.minus)
    return 2 * shared / size if size else 1.0


def bag_recall(gold: Bags, other: Bags) -> float:
    """The share of the gold change that the other makes too. 1 where gold changes nothing."""
    size = _mass(gold.plus) + _mass(gold.minus)
    shared = _shared(gold.plus, other.plus) + _shared(gold.minus, other.minus)
    return shared / size if size else 1.0


def direction(gold: Bags, other: Bags) -> float:
    """The cosine of the signed changes: -1 where one undoes what the other does, 0 where they have
    nothing in common or one changes nothing."""
    first, second = _vector(gold), _vector(other)
    product = math.fsum(value * second.get(gram, 0.0) for gram, value in first.items())
    lengths = math.sqrt(
        math.fsum(value * value for value in first.values())
        * math.fsum(value * value for value in second.values())
    )
    return product / lengths if lengths else 0.0


def _vector(bags: Bags) -> dict[Gram, float]:
    vector = {gram: gram_weight(gram) * count for gram, count in bags.plus.items()}
    vector |= {gram: -gram_weight(gram) * count for gram, count in bags.minus.items()}
    return vector


def introduced(bags: Bags) -> frozenset[str]:
    """The identifiers and literals that a change brings in."""
    return frozenset(gram[0] for gram in bags.plus if is_name(gram[0]))
