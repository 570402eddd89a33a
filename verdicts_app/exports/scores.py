"""The scores of a judgement in step 6, by what was judged.

One answer `scores{spec: total}`; a known patch `scores{category: points}` beside its `total`; two
contestants `scores` of both by label, with the `winner`; a relay its `rating`, `multiplier` and
`phases`. Figures of repeats are their means; a winner or a rating is that of their majority.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from judgeweb.judging.modes import PATCH_MODES
from judgeweb.judging.relay import MULTIPLIERS, ChainTotal, Incomplete
from rubrics_app.selectors import rubric_document
from verdicts_app.boards.relay_results import RelayResult, results_of
from verdicts_app.boards.stored_detail import stored_detail
from verdicts_app.exports.numbers import number
from verdicts_app.models import PHASES, ContestantOutcome, Verdict


def scores_of(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    first = verdicts[0]
    if first.pair_id is not None:
        return _of_pairs(verdicts)
    if first.chain_id is not None:
        return _of_relays(verdicts)
    if first.mode in PATCH_MODES:
        return _of_patch(first)
    spec = first.persona.spec if first.persona else ""
    return {"scores": {spec: number(_mean(_totals(verdicts)))}, "winner": None}


def _totals(verdicts: Sequence[Verdict]) -> list[Fraction]:
    return [Fraction(verdict.total_exact) for verdict in verdicts if verdict.total_exact]


def _mean(values: Sequence[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


def _majority(values: Sequence[str]) -> str | None:
    [(value, count)] = Counter(values).most_common(1)
    return value if count > len(values) // 2 else None


# --- a known patch ------------------------------------------------------------------------------


def _of_patch(verdict: Verdict) -> dict[str, Any]:
    """Nobody was asked, so that repeats would only repeat it."""
    parts = stored_detail(verdict.detail).parts
    rubric = verdict.epoch.rubric_revision
    keys = [one.key for one in rubric_document(rubric).dimensions] if rubric else []
    return {
        "scores": {key: number(parts.get(key)) for key in keys},
        "winner": None,
        "total": number(_mean(_totals([verdict]))),
        "coverage": number(parts.get("coverage")),
    }


# --- two contestants ----------------------------------------------------------------------------


def _of_pairs(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    totals: dict[str, list[Fraction]] = {}
    winners: list[str] = []
    for verdict in verdicts:
        rows = list(verdict.contestants.all())
        won = [row.label for row in rows if row.outcome == ContestantOutcome.WON]
        winners.append(won[0] if won else "")
        for row in rows:
            totals.setdefault(row.label, [])
            totals[row.label] += [Fraction(row.total_exact)] if row.total_exact else []
    decisions = [verdict.decision for verdict in verdicts]
    return {
        "scores": {label: number(_mean(values)) for label, values in totals.items()},
        "winner": _majority(winners) or None,
        "decision": decisions[0] if len(decisions) == 1 else _majority(decisions),
    }


# --- a relay ------------------------------------------------------------------------------------


def _of_relays(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    rating = _majority([verdict.rating for verdict in verdicts])
    return {
        "scores": {},
        "winner": None,
        "rating": rating,
        "multiplier": number(MULTIPLIERS[rating]) if rating else None,
        **_chain(verdicts),
    }


def _chain(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The relay's phases of the same judge, and its total or why it has none."""
    chain = verdicts[0].chain
    assert chain is not None
    family = verdicts[0].epoch.family
    of_judge = [one for one in results_of([chain])[chain.pk] if one.family == family]
    result = of_judge[0] if of_judge else RelayResult("", family)
    total = result.chain
    phases = {phase: one.total for phase, one in result.phases.items()}
    return {
        "phases": {phase: number(phases.get(phase)) for phase in PHASES},
        "chain": {
            "theme": chain.theme,
            "opponent": result.opponent or None,
            "mean": number(total.mean) if isinstance(total, ChainTotal) else None,
            "total": number(total.total) if isinstance(total, ChainTotal) else None,
            "incomplete": list(total.reasons) if isinstance(total, Incomplete) else [],
        },
    }
