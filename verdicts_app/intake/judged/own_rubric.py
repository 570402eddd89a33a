"""A scenario's own rubric: categories, each with the points of its criteria.

`{"scores": {"root_cause": {"FINDS_IT": 11.25, "subtotal": 11.25}, ...}, "total": ...}`. The most
that can be earned comes from the scenario where it is known here; else the points are of 100.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from judgeweb.judging.arithmetic import plain
from judgeweb.judging.text import one_line, shown, visible
from judgeweb.judging.types import Stated, Step, Verdict
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged import penalties
from verdicts_app.intake.judged.figures import (
    VALUES,
    first_of,
    number,
    stated_figure,
    totals_in,
    with_stated,
    words,
)
from verdicts_app.intake.judged.marks import group_of
from verdicts_app.intake.judged.types import Given, Judged, Payload

PERSONA = "persona"
HUNDRED = Fraction(100)
SUBTOTALS = ("subtotal", "total", "score")
LONGEST_NAME = 60
MOST_CRITERIA = 200


def matches(payload: Payload) -> bool:
    group = group_of(payload)
    return (
        isinstance(group, Mapping)
        and bool(group)
        and all(isinstance(category, Mapping) for category in group.values())
        and any(first_of(category, VALUES) is None for category in group.values())
    )


def read(payload: Payload, given: Given) -> Judged:
    if penalties.penalties_of(given.scoring):
        return penalties.read(payload, given)  # points that no penalty gives: stated only
    maxima = maxima_of(given.scoring)
    judged = by_category(payload, maxima)
    scale = {name: str(most) for name, most in maxima.items()} or "points of 100"
    return Judged("solo", judged, {"scale": scale, "rubric": "the scenario's own"})


def maxima_of(scoring: Any) -> dict[str, Fraction]:
    """The weights of the scenario's own categories, by name."""
    categories = scoring.get("categories") if isinstance(scoring, Mapping) else None
    if not isinstance(categories, list):
        return {}
    try:
        return {
            str(row["name"]): number(row["weight"], "weight")
            for row in categories
            if isinstance(row, Mapping) and row.get("name") and row.get("weight") is not None
        }
    except FieldRefused:
        return {}


@dataclass(frozen=True)
class Category:
    """One category: the points of its criteria and what the judge says that they make."""

    name: str
    points: dict[str, Fraction]
    stated: Any
    note: str

    @property
    def earned(self) -> Fraction:
        return sum(self.points.values(), Fraction(0))

    @property
    def step(self) -> Step:
        terms = " + ".join(f"{name} {plain(value)}" for name, value in self.points.items())
        return Step(self.name, terms, self.earned, self.note)


def by_category(payload: Payload, maxima: Mapping[str, Fraction]) -> Verdict:
    """The verdict on the categories' points. Raise FieldRefused."""
    group = group_of(payload)
    said = payload.get("details")
    details = said if isinstance(said, Mapping) else {}
    categories = [
        _category(name, row, details, maxima)
        for name, row in group.items()
        if row is not None  # not observable: persona of a judge that asks no model
    ]
    if not categories:
        raise FieldRefused("scores", "holds no category with points")
    earned = sum((one.earned for one in categories), Fraction(0))
    total, working = _total(categories, maxima, earned)
    parts = {one.name: one.earned for one in categories}
    verdict = Verdict(
        total=total,
        total_without_persona=_without_persona(parts, maxima),
        parts=parts,
        working=(*(one.step for one in categories), working),
        assessment=words(first_of(payload, ("assessment", "summary"))),
        extra={"out_of": {name: str(maxima[name]) for name in parts if name in maxima}},
    )
    return with_stated(verdict, _stated(payload, categories, total))


def all_marked(verdict: Verdict, names: Collection[str]) -> Verdict:
    """The verdict, if each of these categories has points: a total without one would be that of
    another instrument. Raise FieldRefused."""
    for name in names:
        if name not in verdict.parts:
            raise FieldRefused(f"scores.{name}", "missing: the total needs its points")
    return verdict


def _category(
    name: str, row: Any, details: Mapping[str, Any], maxima: Mapping[str, Fraction]
) -> Category:
    label = one_line(visible(str(name))[0])
    if not label or len(label) > LONGEST_NAME:
        raise FieldRefused("scores", f"expected names of 1 to {LONGEST_NAME} characters", name)
    place = f"scores.{label}"
    most = maxima.get(label, HUNDRED)
    note = words(details.get(name))
    if not isinstance(row, Mapping):
        return Category(label, {label: number(row, place, most=most)}, None, note)
    points = _points(row, place, most)
    stated = row.get("subtotal")
    if not points:
        total = first_of(row, (*SUBTOTALS, *VALUES))
        if total is None:
            raise FieldRefused(place, f"holds no points: {shown(row)}", row)
        return Category(label, {label: number(total, place, most=most)}, None, note)
    category = Category(label, points, stated, note)
    number_of = category.earned
    if number_of > most:
        raise FieldRefused(place, f"{plain(number_of)} points; at most {plain(most)} can be earned")
    return category


def _points(row: Mapping[str, Any], place: str, most: Fraction) -> dict[str, Fraction]:
    criteria = row.get("criteria") if isinstance(row.get("criteria"), Mapping) else row
    assert isinstance(criteria, Mapping)
    found: dict[str, Fraction] = {}
    for name, value in criteria.items():
        if name in (*SUBTOTALS, *VALUES, "max", "weight", "reasoning", "reason", "criteria"):
            continue
        if isinstance(value, Mapping):
            value = first_of(value, VALUES)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        found[one_line(visible(str(name))[0])[:LONGEST_NAME]] = number(
            value, f"{place}.{name}", most=most
        )
        if len(found) > MOST_CRITERIA:
            raise FieldRefused(place, f"more than {MOST_CRITERIA} criteria")
    return found


def _total(
    categories: list[Category], maxima: Mapping[str, Fraction], earned: Fraction
) -> tuple[Fraction, Step]:
    """In percent of what could be earned in the categories that were marked."""
    most = sum((maxima.get(one.name, Fraction(0)) for one in categories), Fraction(0))
    if len(maxima) and all(one.name in maxima for one in categories) and most != HUNDRED:
        total = HUNDRED * earned / most
        return total, Step("total", f"100×{plain(earned)} / {plain(most)}", total)
    if earned > HUNDRED:
        raise FieldRefused("scores", f"{plain(earned)} points of 100: their maxima are not known")
    return earned, Step("total", " + ".join(plain(one.earned) for one in categories), earned)


def _without_persona(
    parts: Mapping[str, Fraction], maxima: Mapping[str, Fraction]
) -> Fraction | None:
    """The other categories scaled to 100; None where their maxima are not known."""
    others = [name for name in parts if name.lower() != PERSONA]
    if not others or any(name not in maxima for name in others):
        return None
    most = sum((maxima[name] for name in others), Fraction(0))
    return HUNDRED * sum((parts[name] for name in others), Fraction(0)) / most if most else None


def _stated(payload: Payload, categories: list[Category], total: Fraction) -> list[Stated]:
    subtotals = [
        stated_figure(f"{one.name}.subtotal", one.stated, one.earned)
        for one in categories
        if one.stated is not None
    ]
    totals = [stated_figure(name, value, total) for name, value in totals_in(payload).items()]
    return [*subtotals, *totals]
