"""A verdict made elsewhere, read but not stored."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from verdicts_app.intake.judged.types import Given, Judged
from verdicts_app.intake.shapes import Subject
from verdicts_app.intake.usage import Usage

ELSEWHERE = "elsewhere"
"""The id of an answer that is known by persona and scenario alone."""


@dataclass(frozen=True)
class Made:
    """`identity` is its answer's in the run; `document` canonical JSON. A comparison is of
    `subject`, shown first, and `second`, whose answer has the same identity where it has no other.

    `read` gives the name of the shape and the verdict; it raises FieldRefused. `place_of` tells
    where a field of the document stands."""

    file: str
    place: str
    subject: Subject
    identity: str
    judge: str
    document: str
    read: Callable[[Given], tuple[str, Judged]]
    second: Subject | None = None
    second_identity: str = ""
    judged_at: datetime | None = None
    said_at: str = ""
    usage: Usage = field(default_factory=Usage)
    warnings: tuple[str, ...] = ()
    place_of: Callable[[str], str] | None = None

    @property
    def answers(self) -> list[tuple[Subject, str]]:
        """Whose answers were judged, with the identity of each."""
        first = (self.subject, self.identity)
        if self.second is None:
            return [first]
        return [first, (self.second, self.second_identity or self.identity)]

    @property
    def subjects(self) -> list[Subject]:
        return [self.subject] if self.second is None else [self.subject, self.second]

    def at(self, name: str) -> str:
        return self.place_of(name) if self.place_of else self.place
