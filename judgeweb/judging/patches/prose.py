"""What the prose around a patch earns, or prose without any patch.

A path counts only whole and exact. What stands in the issue already was not found by the answer:
its paths and its sentences earn nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.patches.changes import Block
from judgeweb.judging.patches.gold import Gold
from judgeweb.judging.patches.locations import (
    FAR,
    MODULE,
    NEAR,
    Scope,
    closeness,
    overlap,
    scopes_of,
)
from judgeweb.judging.patches.numbers import exact
from judgeweb.judging.patches.paths import paths_in
from judgeweb.judging.patches.tokens import is_identifier
from judgeweb.judging.types import FunctionSpan

Functions = Mapping[str, tuple[FunctionSpan, ...]]

SCOPE_WEIGHT = 2
"""What naming a scope counts beside naming an identifier."""
FEWEST_WORDS = 5
"""Shorter pieces ("Here is the fix:") explain nothing and are not meant to."""
LONGEST = 200_000
"""Characters of prose that are read."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*")
_WORD = re.compile(r"[^\W\d]\w*")
_CODE_WORD = re.compile(
    r"`([^`\n]{1,80})`|\b(\w{1,80}_\w{1,80}|[a-z]{1,40}[A-Z]\w{1,40})\b|\b(\w{1,80})\("
)
_DEFINED = re.compile(r"\b(?:def|class|function)\s+([^\W\d]\w*)")
_LINE = re.compile(r"(?::|#L|\blines?\s+)(\d{1,6})(?:\s*(?:-|–|to|and)\s*L?(\d{1,6}))?")


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, white space folded."""
    found = (" ".join(piece.split()) for piece in _SENTENCE.split(text[:LONGEST]))
    return [piece for piece in found if piece]


def own_sentences(text: str, issue: str) -> list[str]:
    """The sentences that are not copied from the issue."""
    copied = " ".join(issue.split())
    return [one for one in sentences(text) if one not in copied]


# --- explanation --------------------------------------------------------------------------------


def explanation(prose: str, gold: Gold, functions: Functions, issue: str) -> Fraction | None:
    """The weighted share of what there is to name that the prose names, in sentences that name a
    gold file or scope. None where there is no prose, which is not an empty explanation."""
    if not any(len(one.split()) >= FEWEST_WORDS for one in sentences(prose)):
        return None
    scopes = _scope_names(gold, functions)
    wanted = dict.fromkeys(_identifiers(gold, issue), 1) | dict.fromkeys(scopes, SCOPE_WEIGHT)
    if not wanted:
        return None
    paths = frozenset(gold.changes.paths)
    named: set[str] = set()
    for sentence in own_sentences(prose, issue):
        words = set(_WORD.findall(sentence))
        if words & scopes or paths.intersection(paths_in(sentence)):
            named |= words
    found = sum(weight for name, weight in wanted.items() if name in named)
    return Fraction(found, sum(wanted.values()))


def _scope_names(gold: Gold, functions: Functions) -> frozenset[str]:
    """By the index; without one, what the hunks of the gold patch define or stand under."""
    indexed = scopes_of(gold.changes.blocks, functions)
    names = {name.rsplit(".", 1)[-1] for _, name in indexed if name != MODULE}
    if not indexed:
        names = {found for text in _hunk_texts(gold) for found in _DEFINED.findall(text)}
    return frozenset(names)


def _hunk_texts(gold: Gold) -> Iterator[str]:
    for file in gold.changes.source:
        for hunk in file.hunks:
            yield hunk.section
            yield from (line.text for line in hunk.lines)


def _identifiers(gold: Gold, issue: str) -> frozenset[str]:
    """What the gold patch changes, and what the issue calls by the names of its code."""
    bags = gold.bags
    changed = {gram[0] for bag in bags for gram in bag if is_identifier(gram[0])}
    around = {word for text in _hunk_texts(gold) for word in _WORD.findall(text)}
    asked = {
        word
        for found in _CODE_WORD.findall(issue[:LONGEST])
        for part in found
        for word in _WORD.findall(part)
    }
    return frozenset(changed | (asked & around))


# --- no patch -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Named:
    """What prose without a patch points at. All from 0 to 1."""

    file_precision: Fraction
    file_recall: Fraction
    line_precision: Fraction
    line_recall: Fraction
    scope_recall: Fraction
    scope_f1: Fraction


def named_places(text: str, gold: Gold, functions: Functions, issue: str) -> Named:
    """Exact paths of the text, with the lines and functions that their sentences name."""
    known = frozenset(paths_in(issue))
    files: set[str] = set()
    scopes: set[Scope] = set()
    blocks: list[Block] = []
    for sentence in own_sentences(text, issue):
        paths = [path for path in paths_in(sentence) if path not in known]
        files.update(paths)
        if len(set(paths)) == 1:
            blocks += _lines_named(paths[0], sentence)
            scopes |= _scopes_named(paths[0], sentence, functions)
    by_path: dict[str, list[Block]] = {}
    for block in blocks:
        by_path.setdefault(block.path, []).append(block)
    found = overlap(frozenset(gold.changes.paths), frozenset(files))
    wanted = scopes_of(gold.changes.blocks, functions)
    places = overlap(wanted, frozenset(scopes) | scopes_of(blocks, functions))
    far = exact(closeness(gold.changes.blocks, by_path, FAR))
    return Named(
        exact(found.precision),
        exact(found.recall),
        exact(closeness(blocks, gold.by_path, NEAR)),
        exact(closeness(gold.changes.blocks, by_path, NEAR)),
        exact(places.recall) if wanted else far,
        exact(places.f1) if wanted else far,
    )


def _lines_named(path: str, sentence: str) -> Iterable[Block]:
    for first, last in _LINE.findall(sentence):
        begins, ends = int(first), int(last or first)
        if begins <= ends:
            yield Block(path, begins, ends, begins, (), (), 1, ())


def _scopes_named(path: str, sentence: str, functions: Functions) -> frozenset[Scope]:
    words = set(_WORD.findall(sentence)) - set(_WORD.findall(path))
    spans = functions.get(path, ())
    return frozenset((path, span.name) for span in spans if span.name.rsplit(".", 1)[-1] in words)
