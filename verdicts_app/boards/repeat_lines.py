"""Repeats side by side: totals, marks, words, and the items whose found-mark flipped."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.modes.calls import DIMENSIONS
from judgeweb.judging.repeats import majority, spread
from judgeweb.judging.types import FindingKind
from verdicts_app.boards.rates import LABELS
from verdicts_app.boards.votes import totals_of, vote_of
from verdicts_app.models import Verdict, VerdictFinding

LISTED = (FindingKind.BASELINE, FindingKind.BONUS)
HOLDS = {True: "holds", False: "fails", None: "undecidable"}


@dataclass(frozen=True)
class FigureLine:
    """A total or a mark in every valid repeat; None where it has none. `of` is a contestant."""

    name: str
    of: str
    values: tuple[Fraction | None, ...]

    @property
    def known(self) -> tuple[Fraction, ...]:
        return tuple(value for value in self.values if value is not None)

    @property
    def mean(self) -> Fraction | None:
        return sum(self.known, Fraction(0)) / len(self.known) if self.known else None

    @property
    def range(self) -> Fraction | None:
        found = spread(self.known)
        return found.range if found else None

    @property
    def sd(self) -> float | None:
        found = spread(self.known)
        return found.sd if found else None

    @property
    def is_flip(self) -> bool:
        return len(set(self.known)) > 1


@dataclass(frozen=True)
class WordLine:
    """A word in every valid repeat, empty where it has none. The majority is for display alone:
    no total is computed of it."""

    name: str
    of: str
    words: tuple[str, ...]

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if word)

    @property
    def majority(self) -> str:
        """Empty where there is none."""
        return majority(self.known, len(self.known)) or ""

    @property
    def agreeing(self) -> int:
        return self.known.count(self.majority)

    @property
    def is_flip(self) -> bool:
        return len(set(self.known)) > 1


def total_lines(verdicts: Sequence[Verdict]) -> tuple[FigureLine, ...]:
    """One per contestant; none for relays and captured calls."""
    totals = [totals_of(verdict) for verdict in verdicts]
    labels = dict.fromkeys(label for one in totals for label in one)
    return tuple(
        FigureLine("Total", label if len(labels) > 1 else "", tuple(t.get(label) for t in totals))
        for label in labels
    )


def vote_lines(verdicts: Sequence[Verdict], name: str) -> tuple[WordLine, ...]:
    """What each decides, under a name; none for what has a total instead."""
    words = tuple(str(vote_of(verdict) or "") for verdict in verdicts)
    return (WordLine(name, "", words),) if any(words) else ()


Place = tuple[str, str]
"""Contestant and key."""


def mark_lines(verdicts: Sequence[Verdict]) -> tuple[FigureLine, ...]:
    """In the order of the rubric; of a comparison the means over its orders."""
    names: dict[Place, str] = {}
    held: list[dict[Place, list[Fraction]]] = []
    for verdict in verdicts:
        values: dict[Place, list[Fraction]] = {}
        for mark in verdict.marks.all():
            place = (mark.contestant, mark.key)
            names.setdefault(place, mark.label)
            values.setdefault(place, []).append(Fraction(mark.value_exact))
        held.append(values)
    several = len({contestant for contestant, _ in names}) > 1
    return tuple(
        FigureLine(
            name,
            place[0] if several else "",
            tuple(_mean(values[place]) if place in values else None for values in held),
        )
        for place, name in names.items()
    )


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def item_lines(verdicts: Sequence[Verdict], mode: str) -> tuple[WordLine, ...]:
    """Every item of the list, or check of a captured call. In a comparison one that was found in
    one of its orders alone says so."""
    if any(verdict.capture_id for verdict in verdicts):
        return _check_lines(verdicts)
    yes, no = ("shown", "not shown") if mode == "behaviours" else ("found", "missed")
    held = [_found(verdict.findings.all()) for verdict in verdicts]
    places = dict.fromkeys(place for found in held for place in found)
    several = len({contestant for contestant, _ in places}) > 1
    return tuple(
        WordLine(
            item_id,
            contestant if several else "",
            tuple(_word(found.get((contestant, item_id), ()), yes, no) for found in held),
        )
        for contestant, item_id in places
    )


def _found(findings: Iterable[VerdictFinding]) -> Mapping[Place, list[bool]]:
    found: dict[Place, list[bool]] = {}
    for finding in findings:
        if finding.kind in LISTED:
            found.setdefault((finding.contestant, finding.item_id), []).append(finding.found)
    return found


def _word(marks: Sequence[bool], yes: str, no: str) -> str:
    if not marks:
        return ""
    if len(set(marks)) > 1:
        return f"{yes} in {sum(marks)} of {len(marks)} orders"
    return yes if marks[0] else no


def _check_lines(verdicts: Sequence[Verdict]) -> tuple[WordLine, ...]:
    held = [{check.key: check.ok for check in verdict.checks.all()} for verdict in verdicts]
    return tuple(
        WordLine(LABELS[key], "", tuple(HOLDS[ok[key]] if key in ok else "" for ok in held))
        for key in DIMENSIONS
        if any(key in ok for ok in held)
    )
