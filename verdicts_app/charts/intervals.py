"""The leaderboard's intervals: one axis for all rows, drawn as SVG by the template."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

WIDTH = 384
LEFT, RIGHT = 10.0, 374.0

Point = float | Fraction


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    low: int
    high: int
    step: int

    @classmethod
    def over(cls, values: Iterable[Point]) -> "Axis":
        """Round steps around all values; at least one step wide."""
        held = [float(value) for value in values]
        if not held:
            return cls(0, 100, 20)
        spread = max(held) - min(held)
        step = next((step for step in (2, 5, 10, 20) if spread <= step * 6), 20)
        low = step * floor(min(held) / step)
        high = step * ceil(max(held) / step)
        return cls(low, high if high > low else low + step, step)

    def x(self, value: Point) -> str:
        share = (float(value) - self.low) / (self.high - self.low)
        return f"{LEFT + share * (RIGHT - LEFT):.1f}"

    @property
    def ticks(self) -> list[Tick]:
        return [Tick(self.x(at), str(at)) for at in range(self.low, self.high + 1, self.step)]


@dataclass(frozen=True, slots=True)
class Whisker:
    """`left` and `right` are empty where there is no interval."""

    dot: str
    left: str = ""
    right: str = ""

    @property
    def diamond(self) -> str:
        at = float(self.dot)
        return f"M{at:.1f} 14L{at + 6:.1f} 20L{at:.1f} 26L{at - 6:.1f} 20Z"


def whisker(axis: Axis, mean: Point, interval: tuple[float, float] | None) -> Whisker:
    if interval is None:
        return Whisker(axis.x(mean))
    return Whisker(axis.x(mean), axis.x(interval[0]), axis.x(interval[1]))
