"""One contestant of a comparison: what it reached, its answer with the quotes of both orders lit,
and what was found in it, item by item beside the other one's."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.types import FIRST, SECOND, FindingKind
from verdicts_app.boards.checklist import Checklist, FindingRow, checklist
from verdicts_app.boards.highlight import Segment, segments
from verdicts_app.boards.stored_detail import exact
from verdicts_app.models import Response, VerdictContestant, VerdictFinding

ORDERS = (FIRST, SECOND)
LISTED = (FindingKind.BASELINE, FindingKind.BONUS)


@dataclass(frozen=True)
class Claim:
    """A finding outside the list, with the order in which it was named."""

    order: str
    row: FindingRow


@dataclass(frozen=True)
class Side:
    """`place` is 1 or 2; the ids of its quotes on the page begin with it. `totals` are those of
    the orders judged; empty where only the outcome is known."""

    place: int
    label: str
    character: str
    outcome: str
    total: Fraction | None
    without_persona: Fraction | None
    totals: tuple[Fraction, ...]
    response: Response
    seen: Checklist
    text: tuple[Segment, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class ItemCells:
    """One order: what was found at either side, None where the side was not judged."""

    order: str
    one: FindingRow | None
    other: FindingRow | None


@dataclass(frozen=True)
class ItemLine:
    """An item of the list. `title` is set on the first one of its category."""

    title: str
    name: str
    description: str
    points: int
    orders: tuple[ItemCells, ...]


def side_of(contestant: VerdictContestant, findings: Sequence[VerdictFinding], kind: str) -> Side:
    """`kind` is the mode of the rubric: findings are found or, as behaviours, shown."""
    own = [finding for finding in findings if finding.contestant == contestant.label]
    response = contestant.response
    seen = checklist(own, kind)
    rows = _rows(seen)
    return Side(
        place=contestant.position,
        label=contestant.label,
        character=response.character or contestant.persona.character,
        outcome=contestant.outcome,
        total=exact(contestant.total_exact),
        without_persona=exact(contestant.without_persona_exact),
        totals=tuple(map(Fraction, json.loads(contestant.order_totals or "[]"))),
        response=response,
        seen=seen,
        text=segments(response.text, seen.quotes),
        claims=tuple(
            Claim(finding.order, rows[finding.position])
            for finding in own
            if finding.kind not in LISTED
        ),
    )


def _rows(seen: Checklist) -> dict[int, FindingRow]:
    """By the position of the finding, which is unique in the verdict."""
    return {
        int(row.row_id.removeprefix("item-")): row for group in seen.groups for row in group.rows
    }


def item_lines(
    findings: Sequence[VerdictFinding], sides: tuple[Side, Side]
) -> tuple[ItemLine, ...]:
    """The items of the list in the order of the scenario, heaviest category first as stored."""
    rows = _rows(sides[0].seen) | _rows(sides[1].seen)
    by_item: dict[tuple[str, str], list[VerdictFinding]] = {}
    for finding in findings:
        if finding.kind in LISTED:
            by_item.setdefault((finding.kind, finding.item_id), []).append(finding)
    orders = [order for order in ORDERS if any(f.order == order for f in findings)]
    lines: list[ItemLine] = []
    before = ""
    for found in by_item.values():
        first = found[0]
        title = "bonus" if first.kind == FindingKind.BONUS else first.category
        at = {(f.order, f.contestant): rows[f.position] for f in found}
        lines.append(
            ItemLine(
                title=title if title != before else "",
                name=first.item_id,
                description=first.description,
                points=first.weight,
                orders=tuple(
                    ItemCells(order, *(at.get((order, side.label)) for side in sides))
                    for order in orders
                ),
            )
        )
        before = title
    return tuple(lines)
