"""What a comparison comes to: two standings and the decision between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class Decision(StrEnum):
    WIN = "win"
    TIE = "tie"
    INCONSISTENT = "inconsistent"  # the two orders name different winners: a position flip


@dataclass(frozen=True)
class Standing:
    """What one contestant reached. `totals` are its totals in the orders judged, `total` and
    `total_without_persona` the means over the orders. 0-100, 100 best."""

    label: str
    total: Fraction
    total_without_persona: Fraction | None
    totals: tuple[Fraction, ...]


@dataclass(frozen=True)
class Comparison:
    """Two contestants' standings, in the case's order. `winner` is a label, null unless one won."""

    decision: Decision
    winner: str | None
    standings: tuple[Standing, Standing]
