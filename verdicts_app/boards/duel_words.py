"""A comparison in one sentence: who won, by what, and what was hidden from the judge."""

from judgeweb.judging.arithmetic import round_half_up
from judgeweb.judging.types import FIRST, SECOND, Flag
from verdicts_app.boards.duel_sides import Side
from verdicts_app.models import Decision, Verdict

HIDDEN = "Names, specs and models were hidden from the judge."
ONE_ORDER = "One order was judged, so a liking for the first place would not show."
PHASES = {
    "phase-sm": "SM phase",
    "phase-tea": "TEA phase",
    "phase-dev": "Dev phase",
    "phase-reviewer": "Reviewer phase",
}


def mode_title(mode: str) -> str:
    return PHASES.get(mode, "")


def duel_sentence(verdict: Verdict, one: Side, other: Side) -> str:
    if Flag.EMPTY_ANSWER in verdict.flags.split(","):
        return _empty(one, other)
    orders = min(len(one.totals), len(other.totals))
    if verdict.decision == Decision.INCONSISTENT:
        return f"No winner: {_flip(one, other)} The contestants changed places in between. {HIDDEN}"
    if verdict.decision == Decision.TIE:
        return f"A tie: {_equal(one, other)} {HIDDEN}"
    winner, loser = (one, other) if one.outcome == "won" else (other, one)
    if not orders:
        return f"{winner.label} won. It was judged elsewhere; no marks came along."
    how = "has the higher total in both orders" if orders > 1 else "has the higher total"
    assert winner.total is not None
    assert loser.total is not None
    gap = round_half_up(winner.total - loser.total, 1)
    return f"{winner.label} {how}, {gap} points ahead. {HIDDEN if orders > 1 else ONE_ORDER}"


def _empty(one: Side, other: Side) -> str:
    silent = [side.label for side in (one, other) if not side.response.text.strip()]
    if len(silent) == 2:
        return "Both answered nothing, which counts as a total of 0. Nobody was asked."
    return (
        f"{silent[0] if silent else other.label} answered nothing, which counts as a total of 0. "
        "The other one was judged alone."
    )


def _flip(one: Side, other: Side) -> str:
    leaders = [
        (one if a > b else other).label for a, b in zip(one.totals, other.totals, strict=False)
    ]
    if len(leaders) < 2:
        return "the two orders name different winners."
    return f"{leaders[0]} leads in the first order, {leaders[1]} in the second."


def _equal(one: Side, other: Side) -> str:
    equal = [a == b for a, b in zip(one.totals, other.totals, strict=False)]
    if len(equal) < 2 or all(equal):
        return "equal totals in both orders." if len(equal) > 1 else "equal totals."
    order = (FIRST, SECOND)[equal.index(True)] if True in equal else FIRST
    return f"equal totals in the {order} order."
