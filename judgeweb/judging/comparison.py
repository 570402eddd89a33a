"""Who won: two contestants' totals, order by order (spec/judging.md 3.3).

Per contestant the total is the mean of its totals over the orders. Winner: the higher total in
every order. Equal in one order or in both (within 1e-9): tie. The orders name different winners:
inconsistent, which is a position flip and no win.
Score: 0-100, 100 best; the margin is first minus second contestant.
"""

from collections.abc import Sequence
from fractions import Fraction

from judgeweb.judging.arithmetic import plain
from judgeweb.judging.types import Comparison, Decision, Standing, Step

EQUAL_WITHIN = Fraction(1, 10**9)


def ahead(one: Fraction, other: Fraction) -> int:
    """1 where the first total is higher, -1 where the second is, 0 where they are equal."""
    margin = one - other
    return 0 if abs(margin) <= EQUAL_WITHIN else (1 if margin > 0 else -1)


def mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def standing(
    label: str, totals: Sequence[Fraction], without_persona: Sequence[Fraction | None]
) -> Standing:
    """One contestant's standing from its totals in the orders judged."""
    known = [value for value in without_persona if value is not None]
    return Standing(
        label,
        total=mean(totals),
        total_without_persona=mean(known) if len(known) == len(totals) else None,
        totals=tuple(totals),
    )


def compare(one: Standing, other: Standing) -> Comparison:
    """The decision on two standings over the same orders."""
    leads = {ahead(a, b) for a, b in zip(one.totals, other.totals, strict=True)}
    if 0 in leads:
        return Comparison(Decision.TIE, None, (one, other))
    if len(leads) == 2:
        return Comparison(Decision.INCONSISTENT, None, (one, other))
    winner = one if leads == {1} else other
    return Comparison(Decision.WIN, winner.label, (one, other))


def comparison_steps(result: Comparison) -> list[Step]:
    """The means over the orders, then the margin with the decision in words."""
    one, other = result.standings
    return [
        *(
            Step(f"{side.label}.total", mean_expression(side.totals), side.total)
            for side in (one, other)
        ),
        Step(
            "margin",
            f"{plain(one.total)} \u2212 {plain(other.total)}",
            one.total - other.total,
            decision_in_words(result),
        ),
    ]


def mean_expression(values: Sequence[Fraction]) -> str:
    """The mean as it is written out: "(80 + 77.5) / 2"; one value stands alone."""
    if len(values) == 1:
        return plain(values[0])
    return f"({' + '.join(map(plain, values))}) / {len(values)}"


def decision_in_words(result: Comparison) -> str:
    """Why it is decided so, in one clause that names the contestants by their labels."""
    one, other = result.standings
    leads = [ahead(a, b) for a, b in zip(one.totals, other.totals, strict=True)]
    both = len(leads) > 1
    if result.decision is Decision.WIN:
        return f"{result.winner} has the higher total" + (" in both orders" if both else "")
    if result.decision is Decision.INCONSISTENT:
        first, second = (one.label if lead > 0 else other.label for lead in leads)
        return f"the first order puts {first} ahead, the second {second}: no winner"
    if not any(leads):
        return "a tie: equal totals" + (" in both orders" if both else "")
    return f"a tie: equal totals in the {'first' if not leads[0] else 'second'} order"
