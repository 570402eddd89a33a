"""The verdict on a pair from one reading per order; everything is written out by its place.

Names: `first.LABEL.recall` is a step or a stated figure of one contestant in the first order,
`LABEL.recall` a part: the mean over the orders. A part that is undefined in one order (precision
of a response without a claim) is undefined.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from judgeweb.judging.comparison import ahead, compare, comparison_steps, mean, standing
from judgeweb.judging.seats import answered, labels_by_seat, seats_of
from judgeweb.judging.sheets import GenericSheet
from judgeweb.judging.text import one_line, shown
from judgeweb.judging.types import (
    FIRST,
    SECOND,
    Case,
    Flag,
    Reading,
    Standing,
    Stated,
    Step,
    Verdict,
)

ORDER_NAMES = {FIRST: "First order", SECOND: "Second order"}
_TIE = "tie"
Sides = dict[tuple[str, str], Verdict]
"""(order, label) -> the verdict on one contestant in one order."""


def pair_verdict(case: Case, sheet: GenericSheet, readings: Mapping[str, Reading]) -> Verdict:
    """The verdict on both contestants. `readings` by order; empty where nobody answered."""
    orders = tuple(readings) or (FIRST,)
    sides = {
        (order, label): _side(case, sheet, readings.get(order), order, place)
        for order in orders
        for place, label in enumerate(case.labels)
    }
    one, other = (_standing(sides, orders, label) for label in case.labels)
    result = compare(one, other)
    stated = [*_stated_figures(sides), *_stated_winners(case, readings, sides)]
    flags = [flag for reading in readings.values() for flag in reading.flags]
    flags += [Flag.STATED_DIFFERS] * any(one.differs for one in stated)
    flags += [Flag.EMPTY_ANSWER] * (len(answered(case)) < len(case.contestants))
    return Verdict(
        total=None,
        total_without_persona=None,
        parts={
            f"{label}.{name}": value
            for label in case.labels
            for name, value in _mean_parts([sides[order, label] for order in orders]).items()
        },
        working=(*_side_steps(sides), *comparison_steps(result)),
        marks=tuple(mark for side in sides.values() for mark in side.marks),
        findings=tuple(finding for side in sides.values() for finding in side.findings),
        stated=tuple(stated),
        flags=tuple(dict.fromkeys(flags)),
        notes=tuple(dict.fromkeys(_notes(case, readings, sides))),
        assessment=_assessment(case, readings),
        comparison=result,
        extra=_extra(readings.values()),
    )


def _extra(readings: Iterable[Reading]) -> dict[str, Any]:
    """The claims ruled on in all orders."""
    ruled = [one for reading in readings for one in reading.extra.get("claims", ())]
    return {"claims": ruled} if ruled else {}


def _side(
    case: Case, sheet: GenericSheet, reading: Reading | None, order: str, place: int
) -> Verdict:
    """One contestant in one order: its share of the reading, scored as solo would."""
    label = case.labels[place]
    seats = {where: seat for seat, where in seats_of(case, order).items()}
    if reading is None or place not in seats:
        empty = sheet.empty_answer(case)
        findings = tuple(replace(one, contestant=label, order=order) for one in empty.findings)
        return replace(empty, findings=findings)
    prefix = f"{seats[place]}."
    share = Reading(
        marks=tuple(mark for mark in reading.marks if mark.contestant == label),
        findings=tuple(one for one in reading.findings if one.contestant == label),
        stated={
            name.removeprefix(prefix): value
            for name, value in reading.stated.items()
            if name.startswith(prefix)
        },
    )
    return sheet.score(case, share)


def _standing(sides: Sides, orders: tuple[str, ...], label: str) -> Standing:
    own = [sides[order, label] for order in orders]
    totals = [side.total or Fraction(0) for side in own]
    return standing(label, totals, [side.total_without_persona for side in own])


def _mean_parts(own: list[Verdict]) -> dict[str, Fraction | None]:
    means: dict[str, Fraction | None] = {}
    for name in own[0].parts:
        known = [value for side in own if (value := side.parts.get(name)) is not None]
        means[name] = mean(known) if len(known) == len(own) else None
    return means


def _side_steps(sides: Sides) -> list[Step]:
    return [
        replace(step, name=f"{order}.{label}.{step.name}")
        for (order, label), side in sides.items()
        for step in side.working
    ]


# --- stated -------------------------------------------------------------------------------------


def _stated_figures(sides: Sides) -> list[Stated]:
    return [
        replace(stated, name=f"{order}.{label}.{stated.name}")
        for (order, label), side in sides.items()
        for stated in side.stated
    ]


def _stated_winners(case: Case, readings: Mapping[str, Reading], sides: Sides) -> Iterable[Stated]:
    """The winner that a judge named beside the one of its own marks in that order (case 49)."""
    for order, reading in readings.items():
        if "winner" not in reading.stated:
            continue
        one, other = (sides[order, label].total or Fraction(0) for label in case.labels)
        lead = ahead(one, other)
        computed = case.labels[0 if lead > 0 else 1] if lead else _TIE
        said = reading.stated["winner"]
        meant = _meant(said, labels_by_seat(case, order))
        yield Stated(f"{order}.winner", meant or shown(said), computed, meant != computed)


def _meant(said: Any, labels: Mapping[str, str]) -> str | None:
    """The label that a stated winner means, by seat or by name, any case; None where unclear."""
    word = one_line(said).casefold() if isinstance(said, str) else ""
    if word in (_TIE, "draw"):
        return _TIE
    seat = word.removeprefix("contestant").strip(" _").upper()
    if seat in labels:
        return labels[seat]
    named = [label for label in labels.values() if word == label.casefold()]
    return named[0] if len(named) == 1 else None


# --- words --------------------------------------------------------------------------------------


def _notes(case: Case, readings: Mapping[str, Reading], sides: Sides) -> Iterable[str]:
    for order, reading in readings.items():
        yield from (f"{ORDER_NAMES[order]}: {note}" for note in reading.notes)
    for place, label in enumerate(case.labels):
        if place not in answered(case):
            yield f"{label} answered nothing and has a total of 0."


def _assessment(case: Case, readings: Mapping[str, Reading]) -> str:
    """What the judge said of the pair, order by order, with the seats resolved."""
    return "\n".join(
        f"{ORDER_NAMES[order]} ({_seating(case, order)}): {reading.assessment}"
        for order, reading in readings.items()
        if reading.assessment
    )


def _seating(case: Case, order: str) -> str:
    return ", ".join(f"{seat} is {label}" for seat, label in labels_by_seat(case, order).items())
