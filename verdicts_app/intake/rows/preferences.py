"""Pairwise preferences made elsewhere: one row a comparison in one order.

A row says which of two candidates a judge preferred on an item: A, B or tie, or the probability
that it is B (above 1/2: B; 1/2: tie). A second row with the candidates shown the other way round
is the second order of the same comparison: the same winner wins, a tie in one is a tie, two
different winners are inconsistent. There are no totals.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from judgeweb.judging.text import shown
from judgeweb.judging.types import Decision, Step, Verdict
from verdicts_app.intake import exact
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.figures import number, numeral, stated_figure
from verdicts_app.intake.judged.types import Judged
from verdicts_app.intake.rows.types import CONTESTANT, JUDGE, Row, column_of, has_all

EXPECTED = "judge, item, candidate_a, candidate_b, order, preference or p_b"
ITEMS = ("item", "item_id", "prompt", "question", "scenario", "instruction", "task")
FIRST = ("candidate_a", "model_a", "contestant_a", "a", "generator_1")
SECOND = ("candidate_b", "model_b", "contestant_b", "b", "generator_2")
ONE = ("model", *CONTESTANT)
ORDER = ("order", "position")
PREFERENCE = ("preference", "winner", "preferred", "choice")
PROBABILITY = ("p_b", "probability_b", "prob_b", "p_win")

A_SHOWN_FIRST = {"ab", "a", "a first", "1", "first"}
B_SHOWN_FIRST = {"ba", "b", "b first", "2", "second"}
IS_A = {"a", "first", "model_a", "candidate_a", "contestant_a"}
IS_B = {"b", "second", "model_b", "candidate_b", "contestant_b"}
IS_TIE = {"tie", "draw", "equal", "both", "tie (bothbad)"}
HALF = Fraction(1, 2)
NOTE = "Preferences alone: neither contestant has a total."


def matches(columns: Collection[str]) -> bool:
    is_pair = has_all(columns, FIRST, SECOND) or has_all(columns, ONE, PROBABILITY)
    has_choice = has_all(columns, PREFERENCE) or has_all(columns, PROBABILITY)
    return is_pair and has_choice and has_all(columns, ITEMS)


class Choice(NamedTuple):
    """What one row says: who was shown first and second, how probable the second is (None where
    no probability was given), who was preferred ("" for a tie)."""

    first: str
    second: str
    probability: Fraction | None
    preferred: str


@dataclass
class Duel:
    """The rows of one judge on two candidates' answers to one item."""

    rows: list[Row]
    judge: str
    item: str
    choices: list[Choice] = field(default_factory=list)
    fault: tuple[Row, FieldRefused] | None = None

    @property
    def ordered(self) -> list[Choice]:
        """In an order that does not depend on that of the rows."""
        return sorted(self.choices, key=lambda choice: choice.first)

    @property
    def document(self) -> str:
        choices = [
            {
                "first": one.first,
                "second": one.second,
                "probability_of_second": None if one.probability is None else str(one.probability),
                "preferred": one.preferred or "tie",
            }
            for one in self.ordered
        ]
        return exact.canonical({"judge": self.judge, "item": self.item, "choices": choices})


def duels(rows: Iterable[Row], *, judge: str, opponent: str) -> list[Duel]:
    """The rows put together, in the order of their first rows. `judge` and `opponent` (candidate
    A) are for rows that name none. What is wrong with a row stands in its duel's `fault`."""
    found: dict[tuple[str, ...], Duel] = {}
    for row in rows:
        _add(found, row, judge, opponent)
    return list(found.values())


def _add(found: dict[tuple[str, ...], Duel], row: Row, judge: str, opponent: str) -> None:
    key: tuple[str, ...] = (row.file, row.place)
    duel = Duel([], "", "")
    try:
        named, item = row.name(JUDGE, default=judge), row.name(ITEMS)
        choice = _choice(row, opponent)
        key = (named, item, *sorted((choice.first, choice.second)))
        duel = found.setdefault(key, Duel([], named, item))
        duel.rows.append(row)
        if any(one.first == choice.first for one in duel.choices):
            raise FieldRefused("order", "this comparison stands twice in one order")
        duel.choices.append(choice)
    except FieldRefused as refused:
        found.setdefault(key, duel)
        duel.rows = duel.rows or [row]
        duel.fault = duel.fault or (row, refused)


def _choice(row: Row, opponent: str) -> Choice:
    if column_of(row.cells, SECOND):
        a, b = row.name(FIRST), row.name(SECOND)
    elif opponent:
        a, b = opponent, row.name(ONE)
    else:
        raise FieldRefused(FIRST[0], "missing: the rows name one candidate; name its opponent")
    if a == b:
        raise FieldRefused(SECOND[0], f"both candidates are called {shown(a)}")
    probability = _probability(row)
    preferred = _preferred(row, a, b) if probability is None else _likelier(probability, a, b)
    if _is_a_first(row):
        return Choice(a, b, probability, preferred)
    return Choice(b, a, None if probability is None else 1 - probability, preferred)


def _probability(row: Row) -> Fraction | None:
    """Of B; a number under `preference` is one, too."""
    if column := column_of(row.cells, PROBABILITY):
        return number(row.cells[column], column, most=1)
    column = column_of(row.cells, PREFERENCE) or PREFERENCE[0]
    value = row.cells.get(column)
    is_word = isinstance(numeral(value), str)
    return None if is_word or value is None else number(value, column, most=1)


def _likelier(probability: Fraction, a: str, b: str) -> str:
    return "" if probability == HALF else b if probability > HALF else a


def _preferred(row: Row, a: str, b: str) -> str:
    column = column_of(row.cells, PREFERENCE) or PREFERENCE[0]
    said = row.name(PREFERENCE)
    word = said.lower()
    if said in (a, b):
        return said
    if word in IS_TIE:
        return ""
    if word not in IS_A | IS_B:
        raise FieldRefused(
            column, f"expected A, B, tie or a probability of B, not {shown(said)}", said
        )
    return a if word in IS_A else b


def _is_a_first(row: Row) -> bool:
    """A, where the row does not say."""
    column = column_of(row.cells, ORDER)
    said = str(row.cells[column] if column else "").strip().lower()
    if said not in A_SHOWN_FIRST | B_SHOWN_FIRST | {"", "none"}:
        raise FieldRefused(ORDER[0], f"expected AB or BA, not {shown(said)}", said)
    return said not in B_SHOWN_FIRST


def judged(duel: Duel) -> Judged:
    """The verdict on a duel with one or two choices."""
    choices = duel.ordered
    first, second = choices[0].first, choices[0].second
    decision, winner = _decision([one.preferred for one in choices])
    probabilities = [
        one.probability if one.second == second else 1 - one.probability
        for one in choices
        if one.probability is not None
    ]
    is_known = len(probabilities) == len(choices)
    mean = sum(probabilities, Fraction(0)) / len(choices) if is_known else None
    verdict = Verdict(
        total=None,
        total_without_persona=None,
        parts={"preference": mean} if is_known else {},
        working=_working(probabilities, mean, second) if is_known else (),
        stated=tuple(
            stated_figure(f"{one.first} shown first", one.preferred or "tie", None)
            for one in choices
        ),
        notes=(NOTE,),
    )
    return Judged(
        "compare",
        verdict,
        {"scale": "preference", "orders": len(choices)},
        decision=decision,
        winner={first: 1, second: 2}.get(winner),
    )


def _decision(preferred: Sequence[str]) -> tuple[Decision, str]:
    """As in the mode compare: equal in one order is a tie."""
    if "" in preferred:
        return Decision.TIE, ""
    if len(set(preferred)) > 1:
        return Decision.INCONSISTENT, ""
    return Decision.WIN, preferred[0]


def _working(
    probabilities: Sequence[Fraction], mean: Fraction | None, second: str
) -> tuple[Step, ...]:
    terms = " + ".join(str(float(one)) for one in probabilities)
    expression = f"({terms}) / {len(probabilities)}" if len(probabilities) > 1 else terms
    return (Step("preference", expression, mean, f"probability of {second}"),)
