"""What a chart of estimates over time holds, before it is drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

COLOURS = ("--c1", "--c2", "--c3", "--c4", "--c5", "--c6")

Figure = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Dot:
    """An estimate and, where there is one, its interval. `hover` is escaped already."""

    start: date
    value: float
    interval: tuple[float, float] | None
    link: str
    hover: str


@dataclass(frozen=True, slots=True)
class Series:
    """`segments` are the runs of dots that a line may connect; `end` is its name and last value."""

    name: str
    segments: list[list[Dot]]
    end: str
    is_control: bool = False

    @property
    def last(self) -> Dot:
        return self.segments[-1][-1]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something changed between two buckets."""

    before: date
    start: date
    text: str


@dataclass(frozen=True, slots=True)
class TimeChart:
    """`has_data` has one entry per bucket; `ticks` are those of the scale, written by `tick`.
    `allowed` is the part of the scale in which a value is good, 0 in its middle."""

    buckets: Sequence[date]
    kind: str
    series: Sequence[Series]
    marks: Sequence[Mark]
    has_data: Sequence[bool]
    ticks: Sequence[float]
    nothing: str = "no runs"
    tick: Callable[[float], str] = str
    allowed: tuple[float, float] | None = None


def between(first: date, second: date) -> str:
    """The middle of two days, to the hour."""
    hours = (second - first).days * 12
    day = first + timedelta(days=hours // 24)
    return f"{day.isoformat()} {hours % 24:02d}:00"


def day_in_words(day: date, is_short: bool = False) -> str:
    return f"{day.day} {day:%b}" if is_short else f"{day.day} {day:%b %Y}"
