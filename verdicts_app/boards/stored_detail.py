"""The JSON text in `Verdict.detail`, read back into exact values."""

import json
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.types import Stated, Step


@dataclass(frozen=True)
class StoredDetail:
    parts: dict[str, Fraction | None]
    working: tuple[Step, ...]
    stated: tuple[Stated, ...]
    notes: tuple[str, ...]
    assessment: str
    out_of: dict[str, Fraction | None]
    """What a part could be at most, where no rubric of ours says so (imported verdicts)."""


def stored_detail(text: str) -> StoredDetail:
    stored = json.loads(text or "{}")
    return StoredDetail(
        parts={key: exact(value) for key, value in stored.get("parts", {}).items()},
        working=tuple(
            Step(
                step_name(step["name"]),
                step["expression"],
                exact(step["value"]),
                step.get("note", ""),
            )
            for step in stored.get("working", [])
        ),
        stated=tuple(Stated(**figure) for figure in stored.get("stated", [])),
        notes=tuple(stored.get("notes", [])),
        assessment=stored.get("assessment", ""),
        out_of={
            key: exact(value) for key, value in stored.get("extra", {}).get("out_of", {}).items()
        },
    )


def step_name(name: str) -> str:
    """A step's name as pages write it."""
    return "F2" if name == "f2" else name.replace("_", " ")


def exact(value: str | None) -> Fraction | None:
    """ "3/2" or "8" as a fraction; null and empty text mean undefined."""
    return Fraction(value) if value else None
