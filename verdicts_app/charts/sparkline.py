"""A row's last weeks as a small line. A gap stays a gap; a lone week is a dot."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from verdicts_app.templatetags.figures import rounded

LEFT, RIGHT, MIDDLE, REACH = 3.0, 93.0, 13.0, 10.0

Weeks = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Sparkline:
    """`path` is SVG path data, `dots` are (x, y) of weeks without neighbours and of the last."""

    path: str
    dots: tuple[tuple[str, str], ...]
    label: str


def half_range(rows: Iterable[Weeks]) -> int:
    """So many points above and below its own middle each line can show; one scale for all."""
    reach = max((_reach(weeks) for weeks in rows), default=0.0)
    return max(4, 2 * ceil(reach / 2))


def sparkline(weeks: Weeks, half: int) -> Sparkline | None:
    held = [value for value in weeks if value is not None]
    if not held:
        return None
    middle = (max(held) + min(held)) / 2
    step = (RIGHT - LEFT) / max(len(weeks) - 1, 1)
    points = [
        None
        if value is None
        else (f"{LEFT + n * step:.1f}", f"{MIDDLE - REACH * (value - middle) / half:.1f}")
        for n, value in enumerate(weeks)
    ]
    path, dots = _drawn(points)
    return Sparkline(path, dots, _label(weeks, held))


def _drawn(
    points: list[tuple[str, str] | None],
) -> tuple[str, tuple[tuple[str, str], ...]]:
    path, dots = "", []
    last = max(n for n, point in enumerate(points) if point)
    for n, point in enumerate(points):
        if point is None:
            continue
        before = points[n - 1] if n else None
        after = points[n + 1] if n + 1 < len(points) else None
        path += f"{'L' if before else 'M'}{point[0]} {point[1]}"
        if n == last or not (before or after):
            dots.append(point)
    return path, tuple(dots)


def _label(weeks: Weeks, held: list[float]) -> str:
    inner = weeks[next(n for n, value in enumerate(weeks) if value is not None) :]
    gap = ", with a gap" if None in inner else ""
    if len(held) == 1:
        return f"one of the last {len(weeks)} weeks: {rounded(held[0], 0)}"
    return f"last {len(weeks)} weeks, from {rounded(held[0], 0)} to {rounded(held[-1], 0)}{gap}"


def _reach(weeks: Weeks) -> float:
    held = [value for value in weeks if value is not None]
    return (max(held) - min(held)) / 2 if held else 0.0
