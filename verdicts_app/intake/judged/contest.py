"""Two contestants in one result: compare and the phases of a relay.

`contestants{name: sheet}` (or `teams`, `team1` and `team2`, a list of two), or
`scores{name: total}` beside a `winner`; each sheet is read as a solo result is. The winner has the
higher total, in every order there is (spec/judging.md 3.3); the one that the document names stands
beside it. Totals without marks are those that are stated, in an epoch that says so.
Score: 0-100 per contestant; the verdict itself has none.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from judgeweb.judging.comparison import compare, comparison_steps, mean, standing
from judgeweb.judging.modes import MODES, PAIR_MODES, PHASE_MODES
from judgeweb.judging.sheets import GenericSheet
from judgeweb.judging.text import one_line, shown, visible
from judgeweb.judging.types import FIRST, SECOND, Comparison, Decision, Stated, Step, Verdict
from rubrics_app.shipped import shipped_rubric
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged import behaviours, checklist, marks, own_rubric, penalties, points
from verdicts_app.intake.judged.figures import (
    first_of,
    number,
    stated_figure,
    totals_in,
    with_stated,
    words,
)
from verdicts_app.intake.judged.sheets import scored, with_values
from verdicts_app.intake.judged.types import Given, Judged, Payload, Said, Sheet

GROUPS = ("contestants", "teams")
TEAMS = ("team1", "team2")
ANSWERS = ("result", "response", "response_text")
NAMES = ("spec", "theme", "name", "team", "contestant")
SEATS = (("A", "B"), ("CONTESTANT A", "CONTESTANT B"))
SHEETS_OF_ONE: tuple[Sheet, ...] = (
    checklist,
    behaviours,
    penalties,
    marks,
    points,
    own_rubric,
)
LONGEST_NAME = 200
AS_STATED = "its totals are as stated: it holds no marks from which they could be computed"
_COPY = re.compile(r"#[12]$")
_PHASES = {
    mode: frozenset(mark.key for one in shipped_rubric(mode).dimensions for mark in one.marks)
    for mode in PHASE_MODES
}
Names = tuple[str, str]


@dataclass(frozen=True)
class Contest:
    """What one judging of two contestants says, in its order. `winner` is as stated; None where
    nothing is."""

    names: Names
    sides: tuple[Any, Any]
    mode: str
    winner: Any = None
    has_winner: bool = False
    assessment: str = ""


def matches(payload: Payload) -> bool:
    return _sides(payload) is not None


def read(payload: Payload, given: Given) -> Judged:
    return judged([contest_in(payload)], given)


# --- what the document says ---------------------------------------------------------------------


def contest_in(payload: Payload, *, mode: str = "", named: Names | None = None) -> Contest:
    """`named` are the contestants where the payload has seats alone: A is the first. Raise
    FieldRefused."""
    sides = _sides(payload)
    if sides is None:
        raise FieldRefused("contestants", f"no two contestants: {shown(payload)}")
    if len(sides) != 2:
        raise FieldRefused("contestants", f"expected two, not {len(sides)}")
    (one, first), (other, second) = sides
    names = _names(one, other)
    if _is_seated(names):
        if named is None:
            message = "names the seats A and B alone: `scores` by name must stand beside it"
            raise FieldRefused("contestants", message)
        first, second = (first, second) if names[0][-1].upper() == "A" else (second, first)
        names = named
    return Contest(
        names=names,
        sides=(first, second),
        mode=_mode(payload, mode, first),
        winner=payload.get("winner"),
        has_winner="winner" in payload,
        assessment=words(first_of(payload, ("justification", "assessment", "summary"))),
    )


def _sides(payload: Payload) -> list[tuple[str, Any]] | None:
    """Name and sheet of each contestant, however many; None where it is about one answer: that
    of an agent is never searched for a verdict."""
    if payload.keys() & set(ANSWERS):
        return None
    for key in GROUPS:
        group = payload.get(key)
        if isinstance(group, Mapping) and all(isinstance(v, Mapping) for v in group.values()):
            return [(str(name), side) for name, side in group.items()]
        if isinstance(group, list) and group and all(isinstance(v, Mapping) for v in group):
            return [(str(first_of(side, NAMES) or ""), side) for side in group]
    teams = [payload.get(team) for team in TEAMS]
    if all(isinstance(team, Mapping) for team in teams):
        return [
            (str(first_of(side, NAMES) or team), side)
            for team, side in zip(TEAMS, teams, strict=True)
            if isinstance(side, Mapping)
        ]
    scores = payload.get("scores")
    if isinstance(scores, Mapping) and _are_by_name(payload, scores):
        return [(str(name), side) for name, side in scores.items()]
    return None


def _are_by_name(payload: Payload, scores: Mapping[str, Any]) -> bool:
    """Whether the scores are those of contestants, not of dimensions."""
    mode = payload.get("mode")
    if isinstance(mode, str) and mode in MODES:
        return mode in PAIR_MODES
    is_two = "winner" in payload and len(scores) == 2
    return is_two and not scores.keys() & {*marks.DIMENSIONS, *frozenset().union(*_PHASES.values())}


def _names(one: str, other: str) -> Names:
    names = [one_line(visible(name)[0]).strip() for name in (one, other)]
    for name in names:
        if not name or len(name) > LONGEST_NAME:
            expected = f"expected names of 1 to {LONGEST_NAME} characters, not {shown(name)}"
            raise FieldRefused("contestants", expected, name)
    if names[0] == names[1]:
        return f"{names[0]}#1", f"{names[1]}#2"
    return names[0], names[1]


def _is_seated(names: Names) -> bool:
    return tuple(sorted(name.upper() for name in names)) in SEATS


def _mode(payload: Payload, mode: str, side: Any) -> str:
    """As it is named; else a phase by its dimensions, else compare."""
    named = mode or payload.get("mode") or ""
    if isinstance(named, str) and named in PAIR_MODES:
        return named
    group = marks.group_of(side) if isinstance(side, Mapping) else None
    keys = frozenset(group) if isinstance(group, Mapping) else frozenset()
    return next((phase for phase, known in _PHASES.items() if keys == known), "compare")


def spec_of(name: str, mode: str) -> str:
    """Whose answer it is: of two runs of one spec (`spec#1`), the spec; of a team, its theme with
    the phase."""
    spec = _COPY.sub("", name)
    return spec if mode == "compare" or ":" in spec else f"{spec}:{mode.removeprefix('phase-')}"


# --- the verdict --------------------------------------------------------------------------------


def judged(orders: Sequence[Contest], given: Given, names: Names | None = None) -> Judged:
    """The verdict over one order or two, whose names may stand the other way round; `names` says
    who is the first. Raise FieldRefused."""
    names = names or orders[0].names
    beside = (given, replace(given, response=given.other))
    by_order = {
        label: tuple(_side(contest, name, one) for name, one in zip(names, beside, strict=True))
        for label, contest in zip((FIRST, SECOND), orders, strict=False)
    }
    one, other = (
        standing(
            name,
            [_total(sides[place], name) for sides in by_order.values()],
            [sides[place].verdict.total_without_persona for sides in by_order.values()],
        )
        for place, name in enumerate(names)
    )
    result = compare(one, other)
    every = [side for sides in by_order.values() for side in sides]
    scale = every[0].parameters
    if any(side.parameters != scale for side in every):
        raise FieldRefused("contestants", "its two contestants are judged on different scales")
    return Judged(
        orders[0].mode,
        _verdict(names, by_order, result, orders),
        {**scale, "orders": len(by_order)},
        decision=result.decision,
        winner=None if result.winner is None else names.index(result.winner) + 1,
        said=tuple(dict.fromkeys(said for side in every for said in side.said)),
    )


def _side(contest: Contest, name: str, given: Given) -> Judged:
    """One contestant by itself; every refusal and remark names it."""
    side = dict(zip(contest.names, contest.sides, strict=True)).get(name)
    try:
        found = _sheet(side, contest.mode, given)
    except FieldRefused as refused:
        place = f"{name}.{refused.field}".removesuffix(".")
        raise FieldRefused(place, refused.message, refused.value) from refused
    said = tuple(Said(f"{name}.{one.field}".removesuffix("."), one.words) for one in found.said)
    return replace(found, said=said)


def _sheet(side: Any, mode: str, given: Given) -> Judged:
    if side is None:
        raise FieldRefused("", "is none of the contestants of the judge's reply")
    if not isinstance(side, Mapping):
        return _as_stated(side, {})
    side = _grouped(side, _PHASES.get(mode, frozenset(marks.DIMENSIONS)))
    if mode in PHASE_MODES and isinstance(group := marks.group_of(side), Mapping):
        sheet = {**side, "scores": with_values(group)}
        found = Judged("", scored(GenericSheet(), mode, {}, sheet, given), {"scale": "1-10"})
    else:
        kind = next((one for one in SHEETS_OF_ONE if one.matches(side)), None)
        if kind is None:
            return _as_stated(first_of(side, totals_in(side)), totals_in(side))
        found = kind.read(side, given)
    total = found.verdict.total
    figures = [stated_figure(key, value, total) for key, value in totals_in(side).items()]
    return replace(found, verdict=with_stated(found.verdict, figures))


def _grouped(side: Payload, keys: frozenset[str]) -> Payload:
    """The sheet with its marks in a group, where they stand beside their total."""
    if marks.group_of(side) is not None or not keys or not keys <= side.keys():
        return side
    scores = {key: value for key, value in side.items() if key in keys}
    return {**{key: value for key, value in side.items() if key not in keys}, "scores": scores}


def _as_stated(value: Any, totals: Mapping[str, Any]) -> Judged:
    """`value` is the total; without one there is nothing to compare."""
    if value is None:
        raise FieldRefused("", "holds neither marks nor a total", value)
    total = number(value, "", most=100)
    verdict = Verdict(
        total=total,
        total_without_persona=None,
        parts={"total": total},
        working=(Step("total", "as stated", total),),
        stated=tuple(stated_figure(name, one, None) for name, one in totals.items()),
    )
    return Judged("", verdict, {"scale": "totals as stated"}, said=(Said("", AS_STATED),))


def _total(side: Judged, name: str) -> Fraction:
    if side.verdict.total is None:
        raise FieldRefused(name, "has no total, so that nobody can be ahead")
    return side.verdict.total


def _verdict(
    names: Names,
    by_order: Mapping[str, tuple[Judged, ...]],
    result: Comparison,
    orders: Sequence[Contest],
) -> Verdict:
    sides = {
        (order, name): side.verdict
        for order, pair in by_order.items()
        for name, side in zip(names, pair, strict=True)
    }
    verdict = Verdict(
        total=None,
        total_without_persona=None,
        parts={
            f"{name}.{part}": value
            for name in names
            for part, value in _means([sides[order, name] for order in by_order]).items()
        },
        working=(
            *(
                replace(step, name=f"{order}.{name}.{step.name}")
                for (order, name), side in sides.items()
                for step in side.working
            ),
            *comparison_steps(result),
        ),
        marks=tuple(
            replace(mark, contestant=name, order=order)
            for (order, name), side in sides.items()
            for mark in side.marks
        ),
        findings=tuple(
            replace(finding, contestant=name, order=order)
            for (order, name), side in sides.items()
            for finding in side.findings
        ),
        flags=tuple(dict.fromkeys(flag for side in sides.values() for flag in side.flags)),
        notes=tuple(
            dict.fromkeys(f"{name}: {note}" for (_, name), s in sides.items() for note in s.notes)
        ),
        assessment="\n".join(one.assessment for one in orders if one.assessment),
        extra=next(iter(sides.values())).extra,
        comparison=result,
    )
    figures = [
        replace(stated, name=f"{order}.{name}.{stated.name}")
        for (order, name), side in sides.items()
        for stated in side.stated
    ]
    return with_stated(verdict, [*figures, *_winners(names, by_order, orders)])


def _means(own: Sequence[Verdict]) -> dict[str, Fraction | None]:
    found: dict[str, Fraction | None] = {}
    for part in own[0].parts:
        known = [value for one in own if (value := one.parts.get(part)) is not None]
        found[part] = mean(known) if len(known) == len(own) else None
    return found


def _winners(
    names: Names, by_order: Mapping[str, tuple[Judged, ...]], orders: Sequence[Contest]
) -> Iterable[Stated]:
    """The winner that each order names, beside the one of its own totals."""
    for (order, pair), contest in zip(by_order.items(), orders, strict=False):
        if contest.has_winner:
            totals = [_total(side, name) for name, side in zip(names, pair, strict=True)]
            lone = compare(*(standing(n, [t], [None]) for n, t in zip(names, totals, strict=True)))
            yield winner_beside(contest.winner, lone, name=f"{order}.winner")


def winner_beside(said: Any, result: Comparison, *, name: str = "winner") -> Stated:
    """`said` may be a name, a spec without its number, "tie" or null for none."""
    labels = [one.label for one in result.standings]
    word = one_line(visible(said)[0]).casefold() if isinstance(said, str) else ""
    meant = [one for one in labels if word in (one.casefold(), _COPY.sub("", one).casefold())]
    computed = result.winner or str(result.decision)
    if said is None or word in ("", "tie", "draw", "none"):
        return Stated(name, word or "none", computed, result.decision is Decision.WIN)
    if len(meant) == 1:
        return Stated(name, meant[0], computed, meant[0] != computed)
    return Stated(name, shown(said), computed, differs=True)
