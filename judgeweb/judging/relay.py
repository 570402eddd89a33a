"""The relay chain: one team's four phase totals and the rating of their coherence, in one number.

    chain total = mean of the four phase totals x multiplier (excellent 1.2, good 1.0, poor 0.8)
Not capped: 1-100 bounds what a judge marks, and an excellent chain may pass 100 (0-120 in all).
Five judgements of one epoch family make a chain; with fewer, or with mixed ones, it is incomplete
and has no total. Where they are repeated, a phase counts with the mean of its valid repeats, of
which at least half must be, and the coherence with the rating of their majority (`repeats`).
Source: the seed's chain multipliers; spec/judging.md 3.4, 3.6.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from judgeweb.judging.arithmetic import plain
from judgeweb.judging.claims import CLAIM_STEP
from judgeweb.judging.comparison import mean, mean_expression
from judgeweb.judging.documents import digest
from judgeweb.judging.repeats import is_enough, majority
from judgeweb.judging.types import Step

PHASES = ("sm", "tea", "dev", "reviewer")
MULTIPLIERS = {"excellent": Fraction(6, 5), "good": Fraction(1), "poor": Fraction(4, 5)}


JUDGED_BY = ("effort", "output_mode", CLAIM_STEP)
"""The parameters of an epoch that the five judgements of a chain must share."""


def epoch_family(origin: str, models: Sequence[str], parameters: Mapping[str, Any]) -> str:
    """What makes judgements in several modes those of one judge: a SHA-256 over where they come
    from, the requested models and JUDGED_BY."""
    judged_by = [parameters.get(name) for name in JUDGED_BY]
    text = json.dumps([origin, list(models), *judged_by], separators=(",", ":"))
    return digest(text)


@dataclass(frozen=True)
class PhaseTotals:
    """What the team reached in one phase (0-100) by each valid repeat, how many were unjudged
    beside them, and the epoch family of those judgements."""

    totals: tuple[Fraction, ...]
    without_persona: tuple[Fraction | None, ...]
    family: str
    unjudged: int = 0

    @property
    def asked(self) -> int:
        return len(self.totals) + self.unjudged

    @property
    def total(self) -> Fraction | None:
        """None where fewer than half of the repeats are valid."""
        return mean(self.totals) if is_enough(len(self.totals), self.asked) else None

    @property
    def total_without_persona(self) -> Fraction | None:
        known = [value for value in self.without_persona if value is not None]
        return mean(known) if known and len(known) == len(self.totals) else None


@dataclass(frozen=True)
class ChainRatings:
    """The words of MULTIPLIERS that the valid repeats gave, how many were unjudged beside them,
    and the epoch family of those judgements."""

    ratings: tuple[str, ...]
    family: str
    unjudged: int = 0

    @property
    def asked(self) -> int:
        return len(self.ratings) + self.unjudged

    @property
    def rating(self) -> str | None:
        """None where no majority of the repeats agrees."""
        return majority(self.ratings, self.asked)


@dataclass(frozen=True)
class ChainTotal:
    """0-120, 100 reached by a perfect chain of good coherence."""

    mean: Fraction
    rating: str
    multiplier: Fraction
    total: Fraction
    total_without_persona: Fraction | None
    working: tuple[Step, ...]


@dataclass(frozen=True)
class Incomplete:
    """No total. Every reason is one clause."""

    reasons: tuple[str, ...]


def chain_total(
    phases: Mapping[str, PhaseTotals], coherence: ChainRatings | None
) -> ChainTotal | Incomplete:
    """The chain's total from its judgements; `phases` by the names in PHASES."""
    totals = {phase: total for phase, one in phases.items() if (total := one.total) is not None}
    rating = coherence.rating if coherence else None
    reasons = _reasons(phases, coherence)
    if reasons or rating is None:
        return Incomplete(tuple(reasons))
    in_order = [totals[phase] for phase in PHASES]
    middle, multiplier = mean(in_order), MULTIPLIERS[rating]
    known = [
        value for phase in PHASES if (value := phases[phase].total_without_persona) is not None
    ]
    return ChainTotal(
        mean=middle,
        rating=rating,
        multiplier=multiplier,
        total=middle * multiplier,
        total_without_persona=mean(known) * multiplier if len(known) == len(PHASES) else None,
        working=(
            *_repeats_step(phases),
            Step("mean", mean_expression(in_order), middle),
            Step("multiplier", _rating_expression(rating, coherence), multiplier),
            Step("total", f"{plain(middle)} × {plain(multiplier)}", middle * multiplier),
        ),
    )


def _reasons(phases: Mapping[str, PhaseTotals], coherence: ChainRatings | None) -> list[str]:
    """Why there is no total; empty where there is one."""
    reasons = [f"{phase} is not judged" for phase in PHASES if phase not in phases]
    reasons += [
        f"{phase} is unjudged: {len(one.totals)} of {one.asked} repeats are valid"
        for phase, one in phases.items()
        if one.total is None
    ]
    if coherence is None:
        reasons.append("coherence is not judged")
    elif coherence.rating is None:
        given = ", ".join(coherence.ratings)
        reasons.append(f"no majority of the {coherence.asked} coherence repeats agrees: {given}")
    families = {one.family for one in (*phases.values(), coherence) if one}
    if len(families) > 1:
        reasons.append(f"its judgements are of {len(families)} epoch families")
    return reasons


def _repeats_step(phases: Mapping[str, PhaseTotals]) -> tuple[Step, ...]:
    """The means of those phases that were judged several times."""
    return tuple(
        Step(phase, mean_expression(one.totals), one.total, _valid_of(len(one.totals), one.asked))
        for phase in PHASES
        if (one := phases[phase]).asked > 1
    )


def _valid_of(valid: int, asked: int) -> str:
    return f"mean of {valid} repeats" if valid == asked else f"mean of {valid} of {asked} repeats"


def _rating_expression(rating: str, coherence: ChainRatings | None) -> str:
    """The word, and of how many repeats where there are several."""
    if coherence is None or coherence.asked == 1:
        return rating
    return f"{rating} ({coherence.ratings.count(rating)} of {coherence.asked} repeats)"
