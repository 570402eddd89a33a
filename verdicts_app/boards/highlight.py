"""A response cut into pieces, so that quotes can be lit in place, overlapping ones included."""

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Quote:
    """Evidence number `number` of the row `row_id`, at [start, end) of the response. `kind` tells
    evidence from other things that are marked."""

    number: int
    row_id: str
    label: str
    start: int
    end: int
    kind: str = "evidence"


@dataclass(frozen=True)
class Segment:
    """A stretch of text under the same quotes. `opens` and `closes` are those that begin and end
    with it; `is_evidence` where any covers it. `kinds` names what covers it."""

    text: str
    is_evidence: bool
    opens: tuple[Quote, ...] = ()
    closes: tuple[Quote, ...] = ()
    kinds: frozenset[str] = frozenset()


def segments(text: str, quotes: Iterable[Quote]) -> tuple[Segment, ...]:
    """Cut `text` at every edge of a quote. Joined, the segments give `text` again."""
    within = [q for q in quotes if 0 <= q.start < q.end <= len(text)]
    edges = sorted({0, len(text)} | {q.start for q in within} | {q.end for q in within})
    opens: dict[int, list[Quote]] = {}
    closes: dict[int, list[Quote]] = {}
    for quote in within:
        opens.setdefault(quote.start, []).append(quote)
        closes.setdefault(quote.end, []).append(quote)
    pieces: list[Segment] = []
    depth = Counter[str]()
    for start, end in itertools.pairwise(edges):
        depth.update(quote.kind for quote in opens.get(start, ()))
        depth.subtract(quote.kind for quote in closes.get(start, ()))
        kinds = frozenset(+depth)
        pieces.append(
            Segment(
                text=text[start:end],
                is_evidence=bool(kinds),
                opens=tuple(opens.get(start, ())),
                closes=tuple(closes.get(end, ())),
                kinds=kinds,
            )
        )
    return tuple(pieces)
