"""Points per criterion, each with its own maximum: 15 of 25, 8 of 10, ...

Total: all points of all maxima, in percent. Four dimensions without a maximum whose plain sum is
the stated total have 25 points each.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from judgeweb.judging.arithmetic import plain
from judgeweb.judging.text import one_line, shown, visible
from judgeweb.judging.types import Step, Verdict
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.figures import (
    MAXIMA,
    VALUES,
    first_of,
    number,
    reason_of,
    stated_figure,
    totals_in,
    with_stated,
    words,
)
from verdicts_app.intake.judged.marks import DIMENSIONS, group_of
from verdicts_app.intake.judged.types import Given, Judged, Payload

QUARTER = 25
PERSONA = "persona"
HUNDRED = Fraction(100)
LONGEST_NAME = 60
MOST_CRITERIA = 200


def matches(payload: Payload) -> bool:
    rows = _rows(payload)
    return bool(rows) and (
        any(isinstance(row, Mapping) and first_of(row, MAXIMA) is not None for _, row in rows)
        or all(key in dict(rows) for key in DIMENSIONS)
    )


def read(payload: Payload, given: Given) -> Judged:
    rows = _rows(payload)
    if len(rows) > MOST_CRITERIA:
        raise FieldRefused("criteria", f"{len(rows)} of them; at most {MOST_CRITERIA} are read")
    criteria = [_criterion(name, row) for name, row in rows]
    if len({one.name for one in criteria}) < len(criteria):
        raise FieldRefused("criteria", "a criterion stands twice")
    steps = tuple(one.step for one in criteria)
    earned, maximum = _sums(criteria)
    others = [one for one in criteria if one.name.lower() != PERSONA]
    verdict = Verdict(
        total=HUNDRED * earned / maximum,
        total_without_persona=_percent(others),
        parts={one.name: one.points for one in criteria},
        working=(*steps, percent_step(earned, maximum)),
        assessment=words(first_of(payload, ("assessment", "summary", "overall"))),
    )
    scale = {one.name: str(one.value_of) for one in criteria}
    verdict = replace(verdict, extra={"out_of": scale})
    return Judged("solo", with_stated(verdict, _stated(payload, earned, maximum)), {"scale": scale})


@dataclass(frozen=True)
class Criterion:
    """One criterion: what was earned of what could be."""

    name: str
    points: Fraction
    value_of: Fraction
    reason: str

    @property
    def step(self) -> Step:
        expression = f"{plain(self.points)} of {plain(self.value_of)}"
        return Step(self.name, expression, self.points, self.reason)


def _rows(payload: Payload) -> list[tuple[str, Any]]:
    group = group_of(payload)
    if group is None:
        group = payload.get("criteria")
    if isinstance(group, Mapping):
        return [(str(name), row) for name, row in group.items()]
    if isinstance(group, list) and all(isinstance(row, Mapping) for row in group):
        return [(_name(row), row) for row in group]
    return []


def _name(row: Mapping[str, Any]) -> str:
    return str(first_of(row, ("id", "name", "criterion", "dimension", "key")) or "")


def _criterion(name: str, row: Any) -> Criterion:
    label = one_line(visible(name)[0])
    if not label or len(label) > LONGEST_NAME:
        raise FieldRefused("criteria", f"expected a name of 1 to {LONGEST_NAME} characters", name)
    stated_max = first_of(row, MAXIMA) if isinstance(row, Mapping) else None
    if stated_max is None and label not in DIMENSIONS:
        raise FieldRefused(f"{label}.max", "missing: points need the most that can be earned", row)
    value_of = number(QUARTER if stated_max is None else stated_max, f"{label}.max")
    if not value_of:
        raise FieldRefused(f"{label}.max", "expected more than 0, not 0", stated_max)
    value = first_of(row, VALUES) if isinstance(row, Mapping) else row
    if value is None:
        raise FieldRefused(label, f"has no number under one of {', '.join(VALUES)}", shown(row))
    return Criterion(label, number(value, label, most=value_of), value_of, reason_of(row))


def _sums(criteria: list[Criterion]) -> tuple[Fraction, Fraction]:
    """The points earned, and the most that could be."""
    earned = sum((one.points for one in criteria), Fraction(0))
    return earned, sum((one.value_of for one in criteria), Fraction(0))


def _percent(criteria: list[Criterion]) -> Fraction | None:
    earned, maximum = _sums(criteria)
    return HUNDRED * earned / maximum if maximum else None


def percent_step(earned: Fraction, maximum: Fraction) -> Step:
    expression = f"100×{plain(earned)} / {plain(maximum)}"
    return Step("total", expression, HUNDRED * earned / maximum)


def _stated(payload: Payload, earned: Fraction, maximum: Fraction) -> list[Any]:
    """The stated totals beside the points earned, or beside the percentage where that is meant."""
    percent = HUNDRED * earned / maximum
    figures = []
    for name, value in totals_in(payload).items():
        plain_sum = stated_figure(name, value, earned)
        as_percent = stated_figure(name, value, percent)
        is_percent = name == "score_pct" or (plain_sum.differs and not as_percent.differs)
        figures.append(as_percent if is_percent else plain_sum)
    if (total_max := first_of(payload, ("total_max", "max_total", "max_score"))) is not None:
        figures.append(stated_figure("total_max", total_max, maximum))
    return figures
