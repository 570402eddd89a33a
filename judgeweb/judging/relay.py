"""The relay chain: one team's four phase totals and the rating of their coherence, in one number.

    chain total = mean of the four phase totals x multiplier (excellent 1.2, good 1.0, poor 0.8)
Not capped: 1-100 bounds what a judge marks, and an excellent chain may pass 100 (0-120 in all).
Five judgements of one epoch family make a chain; with fewer, or with mixed ones, it is incomplete
and has no total.
Source: the seed's chain multipliers; spec/judging.md 3.4.
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
class PhaseTotal:
    """What the team reached in one phase (0-100), and the epoch family of that judgement."""

    total: Fraction
    without_persona: Fraction | None
    family: str


@dataclass(frozen=True)
class ChainRating:
    """A word of MULTIPLIERS, and the epoch family of that judgement."""

    rating: str
    family: str


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
    phases: Mapping[str, PhaseTotal], coherence: ChainRating | None
) -> ChainTotal | Incomplete:
    """The chain's total from its judgements; `phases` by the names in PHASES."""
    reasons = [f"{phase} is not judged" for phase in PHASES if phase not in phases]
    if coherence is None:
        reasons.append("coherence is not judged")
    families = {one.family for one in (*phases.values(), coherence) if one}
    if len(families) > 1:
        reasons.append(f"its judgements are of {len(families)} epoch families")
    if reasons or coherence is None:
        return Incomplete(tuple(reasons))
    totals = [phases[phase].total for phase in PHASES]
    middle, multiplier = mean(totals), MULTIPLIERS[coherence.rating]
    others = [phases[phase].without_persona for phase in PHASES]
    known = [value for value in others if value is not None]
    return ChainTotal(
        mean=middle,
        rating=coherence.rating,
        multiplier=multiplier,
        total=middle * multiplier,
        total_without_persona=mean(known) * multiplier if len(known) == len(others) else None,
        working=(
            Step("mean", mean_expression(totals), middle),
            Step("multiplier", coherence.rating, multiplier),
            Step("total", f"{plain(middle)} × {plain(multiplier)}", middle * multiplier),
        ),
    )
