"""The scores of a judgement in step 6, by what was judged.

One answer `scores{spec: total}`; a known patch `scores{category: points}` beside its `total`; two
contestants `scores` of both by label, with the `winner`; a relay its `rating`, `multiplier` and
`phases`. Figures are means over the valid judges of the means over their valid repeats; a winner
or a rating is what the majority of the judges asked says, each with the majority of its repeats.
Without a majority there is none: the decision is inconclusive.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from judgeweb.judging.modes import PATCH_MODES
from judgeweb.judging.relay import MULTIPLIERS, ChainTotal, Incomplete
from judgeweb.judging.repeats import is_enough
from rubrics_app.selectors import rubric_document
from verdicts_app.boards.relay_results import RelayResult, results_of
from verdicts_app.boards.stored_detail import stored_detail
from verdicts_app.boards.votes import majority_of, mean_by_label
from verdicts_app.exports.judges import Judge
from verdicts_app.exports.numbers import number
from verdicts_app.models import PHASES, Chain, Verdict

INCONCLUSIVE = "inconclusive"


def scores_of(judges: Sequence[Judge]) -> dict[str, Any]:
    """Of judges of whom at least half are valid."""
    first = first_verdict(judges)
    if first.pair_id is not None:
        return _of_pairs(judges)
    if first.chain is not None:
        return _of_relays(judges, first.chain)
    if first.mode in PATCH_MODES:
        return _of_patch(first)
    return {"scores": _scores(judges), "winner": None}


def no_scores(judges: Sequence[Judge]) -> dict[str, Any]:
    """As `scores_of`, where too few judges are valid: no figure, no winner, no rating."""
    first = first_verdict(judges)
    nothing: dict[str, Any] = {"scores": dict.fromkeys(_scores(judges)), "winner": None}
    if first.pair_id is not None:
        return {**nothing, "decision": INCONCLUSIVE}
    return {**nothing, "rating": None, "multiplier": None} if first.chain_id else nothing


def first_verdict(judges: Sequence[Judge]) -> Verdict:
    """The one whose reply is shown."""
    return next(
        repeat.verdict for judge in judges for repeat in judge.repeats if repeat.verdict is not None
    )


def _valid(judges: Sequence[Judge]) -> list[Judge]:
    return [judge for judge in judges if judge.is_valid]


def _scores(judges: Sequence[Judge]) -> dict[str, Any]:
    means = mean_by_label(judge.totals for judge in _valid(judges))
    return {label: number(mean) for label, mean in means.items()}


def _mean(values: Sequence[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


# --- a known patch ------------------------------------------------------------------------------


def _of_patch(verdict: Verdict) -> dict[str, Any]:
    """Nobody was asked, so that repeats would only repeat it."""
    parts = stored_detail(verdict.detail).parts
    rubric = verdict.epoch.rubric_revision
    keys = [one.key for one in rubric_document(rubric).dimensions] if rubric else []
    return {
        "scores": {key: number(parts.get(key)) for key in keys},
        "winner": None,
        "total": number(Fraction(verdict.total_exact)) if verdict.total_exact else None,
        "coverage": number(parts.get("coverage")),
    }


# --- two contestants ----------------------------------------------------------------------------


def _of_pairs(judges: Sequence[Judge]) -> dict[str, Any]:
    vote = majority_of([judge.vote if judge.is_valid else None for judge in judges])
    return {
        "scores": _scores(judges),
        "winner": (vote.winner if vote else "") or None,
        "decision": vote.said if vote else INCONCLUSIVE,
    }


# --- a relay ------------------------------------------------------------------------------------


def _of_relays(judges: Sequence[Judge], chain: Chain) -> dict[str, Any]:
    vote = majority_of([judge.vote if judge.is_valid else None for judge in judges])
    rating = vote.said if vote else None
    return {
        "scores": {},
        "winner": None,
        "rating": rating,
        "multiplier": number(MULTIPLIERS[rating]) if rating else None,
        **_chain(chain, _families(judges)),
    }


def _families(judges: Sequence[Judge]) -> list[str]:
    return [first_verdict([judge]).epoch.family for judge in _valid(judges)]


def _chain(chain: Chain, families: Sequence[str]) -> dict[str, Any]:
    """What the same judges gave the relay's phases, and its total or why it has none. Of several
    judges the means, where at least half of them have the figure."""
    found = results_of([chain])[chain.pk]
    results = [
        next((one for one in found if one.family == family), RelayResult("", family))
        for family in families
    ]
    totals = [one.chain for one in results]
    complete = [one for one in totals if isinstance(one, ChainTotal)]
    incomplete = [one.reasons for one in totals if isinstance(one, Incomplete)]
    enough = is_enough(len(complete), len(results))
    return {
        "phases": {phase: number(_phase(results, phase)) for phase in PHASES},
        "chain": {
            "theme": chain.theme,
            "opponent": results[0].opponent or None,
            "mean": number(_mean([one.mean for one in complete])) if enough else None,
            "total": number(_mean([one.total for one in complete])) if enough else None,
            "incomplete": [] if enough else list(incomplete[0]),
        },
    }


def _phase(results: Sequence[RelayResult], phase: str) -> Fraction | None:
    known = [
        total
        for one in results
        if phase in one.phases and (total := one.phases[phase].total) is not None
    ]
    return _mean(known) if is_enough(len(known), len(results)) else None
