"""A scenario's own rubric of penalties: which of them were triggered.

    total = max(20, min(100, lowest cap triggered) - sum of the deductions triggered)
What was triggered stands in a list of it (`triggered`, `penalties_applied`, ...), or in a list or
map of all penalties with a boolean each, by category or not. What a penalty costs comes from the
scenario where that is known here, else from the document. Where the document does not say for each
penalty whether it was triggered, nothing is computed: its total is stated only.
Score: 20-100.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from judgeweb.judging.arithmetic import plain
from judgeweb.judging.text import one_line, shown, visible
from judgeweb.judging.types import Step, Verdict
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.figures import (
    first_of,
    number,
    reason_of,
    stated_figure,
    totals_in,
    with_stated,
    words,
)
from verdicts_app.intake.judged.marks import GROUPS, group_of
from verdicts_app.intake.judged.types import Given, Judged, Payload, Said

START, FLOOR = Fraction(100), Fraction(20)
TRIGGERED = (
    "triggered",
    "triggered_penalties",
    "penalties_triggered",
    "penalties_applied",
    "applied_penalties",
)
"""Lists of the penalties that were triggered; each may be an id alone."""
ALL = "penalties"
"""All of them, each with its boolean."""
FLAGS = ("triggered", "applied", "hit", "found", "violated")
COSTS = {"cap_at": "caps at", "deduct": "deducts"}
LONGEST_ID, MOST = 200, 200
SCALE = {"scale": "100, lowest cap, deductions, floor 20", "rubric": "the scenario's own"}
NOT_SAID = "Stated only: it is not said for each penalty of the scenario whether it was triggered."


@dataclass(frozen=True)
class Penalty:
    """What it costs: `kind` is a key of COSTS."""

    kind: str
    points: Fraction

    @property
    def words(self) -> str:
        return f"{COSTS[self.kind]} {plain(self.points)}"


@dataclass(frozen=True)
class Answer:
    """What the document says of one penalty; None: nothing about whether it was triggered."""

    place: str
    item_id: str
    is_triggered: bool | None
    own: Penalty | None
    reason: str


def matches(payload: Payload) -> bool:
    if totals_in(payload) and any(
        isinstance(payload.get(key), list | dict) for key in (*TRIGGERED, ALL)
    ):
        return True
    group = group_of(payload)
    rows = list(group.values()) if isinstance(group, Mapping) else []
    return bool(rows) and all(isinstance(row, Mapping) and _has_flags(row) for row in rows)


def _has_flags(category: Mapping[str, Any]) -> bool:
    """Whether a category holds booleans by penalty, and no points."""
    values = [one for name, one in category.items() if name not in ("subtotal", "total")]
    return bool(values) and all(
        isinstance(one, bool) or (isinstance(one, Mapping) and _flag_of(one) is not None)
        for one in values
    )


def read(payload: Payload, given: Given) -> Judged:
    answers = list(_answers(payload))
    if len(answers) > MOST:
        raise FieldRefused(ALL, f"{len(answers)} of them; at most {MOST} are read")
    _check_once(answers)
    known = penalties_of(given.scoring)
    said = list(_differences(answers, known))
    costs = {
        **{one.item_id: one.own for one in answers if one.own and not known},
        **known,
    }
    verdict = _verdict(payload, answers, costs, is_whole=_is_whole(payload, answers, known))
    return Judged("solo", verdict, SCALE, said=tuple(said))


def penalties_of(scoring: Any) -> dict[str, Penalty]:
    """Those of a scenario's own rubric, by id; empty where it has none."""
    categories = scoring.get("categories") if isinstance(scoring, Mapping) else None
    found: dict[str, Penalty] = {}
    for category in categories if isinstance(categories, list) else ():
        listed = category.get("penalties") if isinstance(category, Mapping) else None
        for row in listed if isinstance(listed, list) else ():
            if isinstance(row, Mapping) and (penalty := _own(row, "scoring")):
                found[_id(row.get("id"))] = penalty
    return found


def _own(row: Mapping[str, Any], place: str) -> Penalty | None:
    for kind in COSTS:
        if row.get(kind) is not None:
            return Penalty(kind, number(row[kind], f"{place}.{kind}", most=START))
    return None


# --- what the document says ---------------------------------------------------------------------


def _answers(payload: Payload) -> Iterator[Answer]:
    for key in TRIGGERED:
        yield from _listed(payload.get(key), key, default=True)
    yield from _listed(payload.get(ALL), ALL, default=None)
    group = group_of(payload)
    name = next((key for key in GROUPS if payload.get(key) is group), "scores")
    for category, rows in group.items() if isinstance(group, Mapping) else ():
        if isinstance(rows, Mapping) and _has_flags(rows):
            yield from _listed(rows, f"{name}.{one_line(str(category))[:60]}", default=None)


def _listed(value: Any, place: str, *, default: bool | None) -> Iterator[Answer]:
    """`default` is what an entry without a boolean means."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            if key not in ("subtotal", "total"):
                yield _answer(key, one, f"{place}.{one_line(str(key))[:60]}", default)
    elif isinstance(value, list):
        for place_of, one in enumerate(value):
            row = one if isinstance(one, Mapping) else {}
            item_id = first_of(row, ("id", "penalty", "name")) if row else one
            yield _answer(item_id, row or None, f"{place}[{place_of}]", default)
    elif value is not None:
        raise FieldRefused(place, f"must be a list or an object, not {shown(value)}", value)


def _answer(item_id: Any, said: Any, place: str, default: bool | None) -> Answer:
    row = said if isinstance(said, Mapping) else {}
    flag = _flag_of(row) if row else said
    if flag is not None and not isinstance(flag, bool):
        raise FieldRefused(place, f"expected true or false, not {shown(flag)}", flag)
    return Answer(
        place=place,
        item_id=_id(item_id, place),
        is_triggered=default if flag is None else flag,
        own=_own(row, place),
        reason=reason_of(row),
    )


def _flag_of(row: Mapping[str, Any]) -> Any:
    return first_of(row, FLAGS)


def _id(value: Any, place: str = "scoring") -> str:
    name = one_line(visible(value)[0]) if isinstance(value, str) else ""
    if not name or len(name) > LONGEST_ID:
        expected = f"expected an id of 1 to {LONGEST_ID} characters, not {shown(value)}"
        raise FieldRefused(f"{place}.id", expected, value)
    return name


def _check_once(answers: list[Answer]) -> None:
    said: dict[str, bool | None] = {}
    for one in answers:
        if said.setdefault(one.item_id, one.is_triggered) is not one.is_triggered:
            raise FieldRefused(one.place, f"{one.item_id!r} is said to be triggered, and not to be")


def _is_whole(payload: Payload, answers: list[Answer], known: Mapping[str, Penalty]) -> bool:
    """A list of those that were triggered is whole; of booleans there must be one for each."""
    if any(one.is_triggered is None for one in answers):
        return False
    if any(isinstance(payload.get(key), list) for key in TRIGGERED):
        return True
    return bool(answers) and known.keys() <= {one.item_id for one in answers}


def _differences(answers: list[Answer], known: Mapping[str, Penalty]) -> Iterator[Said]:
    for one in answers:
        penalty = known.get(one.item_id)
        if known and penalty is None:
            what = f"{one.item_id!r} is no penalty of the scenario: noted, not counted"
            yield Said(one.place, what)
        elif penalty and one.own and one.own != penalty:
            what = f"{one.item_id} {one.own.words} here and {penalty.words} in the scenario, "
            yield Said(one.place, f"{what}which counts")


# --- the total ----------------------------------------------------------------------------------


def _verdict(
    payload: Payload, answers: list[Answer], costs: Mapping[str, Penalty], *, is_whole: bool
) -> Verdict:
    triggered = {one.item_id: one for one in answers if one.is_triggered}
    unpriced = [name for name in triggered if name not in costs]
    is_known = is_whole and bool(costs) and (bool(set(triggered) & set(costs)) or not unpriced)
    steps = [
        Step(name, costs[name].words, costs[name].points, one.reason)
        for name, one in triggered.items()
        if name in costs
    ]
    counted = [costs[name] for name in triggered if name in costs]
    total = _total(counted) if is_known else []
    value = total[-1].value if total else None
    notes = [f"Not a penalty that is known here, not counted: {name}" for name in unpriced]
    if not is_known:
        notes.append(NOT_SAID if costs else "Stated only: no penalty that is known here.")
    verdict = Verdict(
        total=value,
        total_without_persona=None,
        parts={step.name: step.value for step in total[:-1]},
        working=(*steps, *total),
        notes=tuple(notes),
        assessment=words(first_of(payload, ("assessment", "summary"))),
    )
    figures = [stated_figure(name, said, value) for name, said in totals_in(payload).items()]
    return with_stated(verdict, figures)


def _total(counted: list[Penalty]) -> list[Step]:
    caps = [one.points for one in counted if one.kind == "cap_at"]
    deductions = [one.points for one in counted if one.kind == "deduct"]
    cap, deducted = min([START, *caps]), sum(deductions, Fraction(0))
    total = max(FLOOR, cap - deducted)
    listed = ", ".join(map(plain, [START, *caps]))
    return [
        Step("cap", f"min({listed})" if caps else plain(START), cap),
        Step("deductions", " + ".join(map(plain, deductions)) or "0", deducted),
        Step("total", f"max({plain(FLOOR)}, {plain(cap)} − {plain(deducted)})", total),  # noqa: RUF001
    ]
