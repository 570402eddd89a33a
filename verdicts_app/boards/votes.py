"""What a verdict says of those it judged, so that several verdicts can be taken together: totals
by label, and the one word in which it decides."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from judgeweb.judging.repeats import majority
from verdicts_app.boards.stored_detail import exact
from verdicts_app.models import ContestantOutcome, Decision, Verdict

PASSED = {True: "pass", False: "fail", None: "undecidable"}


class Vote(NamedTuple):
    """The decision of a comparison with its `winner` (the label of a contestant, empty unless one
    won), the rating of a relay, or whether a call passed."""

    said: str
    winner: str = ""

    def __str__(self) -> str:
        return self.winner or self.said


Totals = Mapping[str, Fraction | None]
"""By label: the spec of an answer, the labels of two contestants. None: only the outcome is
known."""


def totals_of(verdict: Verdict) -> Totals:
    """Empty for what has no totals: relays and captured calls."""
    if verdict.chain_id is not None or verdict.capture_id is not None:
        return {}
    if verdict.pair_id is not None:
        return {row.label: exact(row.total_exact) for row in verdict.contestants.all()}
    return {verdict.persona.spec if verdict.persona else "": exact(verdict.total_exact)}


def vote_of(verdict: Verdict) -> Vote | None:
    """None for what has a total instead."""
    if verdict.capture_id is not None:
        return Vote(PASSED[verdict.passed])
    if not (verdict.decision or verdict.rating):
        return None
    rows = verdict.contestants.all() if verdict.decision == Decision.WIN else ()
    won = (row.label for row in rows if row.outcome == ContestantOutcome.WON)
    return Vote(verdict.decision or verdict.rating, next(won, ""))


def mean_by_label(every: Iterable[Totals]) -> Totals:
    """Of those that are known; None where none is."""
    known: dict[str, list[Fraction]] = {}
    for totals in every:
        for label, total in totals.items():
            known.setdefault(label, []).extend([] if total is None else [total])
    return {
        label: sum(values, Fraction(0)) / len(values) if values else None
        for label, values in known.items()
    }


def majority_of(votes: Sequence[Vote | None]) -> Vote | None:
    """Of all that were asked; None stands for one who gave no vote."""
    return majority([vote for vote in votes if vote is not None], len(votes))
