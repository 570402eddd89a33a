"""The marks of a comparison, dimension by dimension and order by order, with the gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.comparison import ahead
from judgeweb.judging.types import FIRST, SECOND, Stated
from verdicts_app.boards.duel_sides import Side
from verdicts_app.models import VerdictMark

NAMES = {FIRST: "Order 1", SECOND: "Order 2"}


@dataclass(frozen=True)
class OrderColumn:
    """One order: who stood first, what each reached there, who leads and whom the judge named.

    `leader` is a label or "tie"."""

    key: str
    name: str
    first: str
    totals: tuple[Fraction, Fraction]
    leader: str
    stated: Stated | None

    @property
    def gap(self) -> Fraction:
        return self.totals[0] - self.totals[1]


@dataclass(frozen=True)
class MarkCell:
    value: Fraction
    band: str
    reasoning: str
    coerced: bool


@dataclass(frozen=True)
class MarkCells:
    """One order of a mark; None where the contestant answered nothing."""

    order: str
    one: MarkCell | None
    other: MarkCell | None

    @property
    def gap(self) -> Fraction | None:
        return self.one.value - self.other.value if self.one and self.other else None

    @property
    def is_whole(self) -> bool:
        return self.gap is not None and self.gap.denominator == 1


@dataclass(frozen=True)
class MarkLine:
    label: str
    orders: tuple[MarkCells, ...]


def order_columns(
    one: Side, other: Side, stated: Sequence[Stated], asked: int | None
) -> tuple[OrderColumn, ...]:
    """`asked` is the number of orders that the epoch judges: with one, no name says "1"."""
    winners = {figure.name.removesuffix(".winner"): figure for figure in stated}
    columns = []
    for place, (a, b) in enumerate(zip(one.totals, other.totals, strict=False)):
        key = (FIRST, SECOND)[place]
        lead = ahead(a, b)
        columns.append(
            OrderColumn(
                key=key,
                name="The one order" if asked == 1 else NAMES[key],
                first=(one, other)[place].label,
                totals=(a, b),
                leader=(one.label if lead > 0 else other.label) if lead else "tie",
                stated=winners.get(key),
            )
        )
    return tuple(columns)


def mark_lines(marks: Sequence[VerdictMark], labels: tuple[str, str]) -> tuple[MarkLine, ...]:
    """In the order of the rubric, as stored."""
    by_place = {(mark.key, mark.order, mark.contestant): _cell(mark) for mark in marks}
    orders = [order for order in NAMES if any(mark.order == order for mark in marks)]
    names = {mark.key: mark.label for mark in marks}
    return tuple(
        MarkLine(
            label,
            tuple(
                MarkCells(order, *(by_place.get((key, order, who)) for who in labels))
                for order in orders
            ),
        )
        for key, label in names.items()
    )


def _cell(mark: VerdictMark) -> MarkCell:
    band = mark.band.replace("-", "–")
    return MarkCell(Fraction(mark.value_exact), band, mark.reasoning, mark.coerced)
