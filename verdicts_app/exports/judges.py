"""What was asked of one or several judges, each once or several times: their votes and totals."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from judgeweb.judging.repeats import is_enough, spread
from verdicts_app.boards.votes import (
    Totals,
    Vote,
    majority_of,
    mean_by_label,
    totals_of,
    vote_of,
)
from verdicts_app.exports.numbers import number
from verdicts_app.models import OPEN_STATES, Judgement, JudgementState, Verdict


@dataclass(frozen=True)
class Repeat:
    """`verdict` is None where it is unjudged."""

    judgement: Judgement
    verdict: Verdict | None

    @property
    def totals(self) -> Totals:
        return totals_of(self.verdict) if self.verdict else {}

    @property
    def vote(self) -> Vote | None:
        return vote_of(self.verdict) if self.verdict else None


@dataclass(frozen=True)
class Judge:
    """One judge with its repeats, in their order. It is valid where at least half of them are."""

    model: str
    repeats: tuple[Repeat, ...]

    @property
    def valid(self) -> tuple[Repeat, ...]:
        return tuple(repeat for repeat in self.repeats if repeat.verdict)

    @property
    def is_valid(self) -> bool:
        return is_enough(len(self.valid), len(self.repeats))

    @property
    def totals(self) -> Totals:
        """The means over the valid repeats, by label."""
        return mean_by_label(repeat.totals for repeat in self.valid)

    @property
    def vote(self) -> Vote | None:
        """Of the majority of its repeats."""
        return majority_of([repeat.vote for repeat in self.repeats])


def judges_of(judgements: Sequence[Judgement]) -> tuple[Judge, ...]:
    """In the order in which they were asked."""
    related = ("persona", "epoch__rubric_revision", "chain")
    verdicts = {
        verdict.judgement_id: verdict
        for verdict in Verdict.objects.filter(judgement__in=judgements)
        .select_related(*related)
        .prefetch_related("contestants")
    }
    held: dict[tuple[str, str], list[Repeat]] = {}
    for one in judgements:
        key = (one.epoch.base_digest, one.epoch.requested_model)
        held.setdefault(key, []).append(Repeat(one, verdicts.get(one.pk)))
    return tuple(
        Judge(model, tuple(sorted(repeats, key=lambda repeat: repeat.judgement.repeat)))
        for (_, model), repeats in held.items()
    )


def judges_in_words(judges: Sequence[Judge]) -> list[dict[str, Any]]:
    """As step 6 tells of them."""
    return [
        {
            "model": judge.model,
            "asked": len(judge.repeats),
            "valid": len(judge.valid),
            "scores": {
                label: number(total) if judge.is_valid else None
                for label, total in judge.totals.items()
            },
            "spread": _spread(judge.valid),
            "vote": _said(judge.vote) if judge.is_valid else None,
            "repeats": [_repeat(repeat) for repeat in judge.repeats],
        }
        for judge in judges
    ]


def _spread(repeats: Sequence[Repeat]) -> dict[str, Any]:
    """By label, of two known totals or more."""
    by_label: dict[str, list[Fraction]] = {}
    for repeat in repeats:
        for label, total in repeat.totals.items():
            if total is not None:
                by_label.setdefault(label, []).append(total)
    found = {label: spread(totals) for label, totals in by_label.items()}
    return {
        label: {"range": number(one.range), "sd": round(one.sd, 12)}
        for label, one in found.items()
        if one is not None
    }


def _repeat(repeat: Repeat) -> dict[str, Any]:
    return {
        "repeat": repeat.judgement.repeat,
        "verdict": repeat.verdict.pk if repeat.verdict else None,
        "scores": {label: number(total) for label, total in repeat.totals.items()},
        "vote": _said(repeat.vote),
        "unjudged": None if repeat.verdict else why_unjudged(repeat.judgement),
    }


def why_unjudged(judgement: Judgement) -> str:
    if judgement.state == JudgementState.UNJUDGED:
        return f"{judgement.unjudged_reason}: {judgement.unjudged_detail}".rstrip(": ")
    return "it is not finished" if judgement.state in OPEN_STATES else "it was cancelled"


def _said(vote: Vote | None) -> str | None:
    return None if vote is None else str(vote)
