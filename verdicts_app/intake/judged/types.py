"""What a judge's result of another tool gives: a verdict of the core, and how it was judged."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.types import Verdict

Payload = Mapping[str, Any]
"""The judge's own object. Numbers are int or Decimal."""


@dataclass(frozen=True)
class Given:
    """What is known beside the document. `response` is the answer's text, None where it is not
    here: then quotes are kept and not looked up; `other` is that of a second contestant.
    `scoring` is the scenario's own rubric, `scenario` the scenario as it is published, with the
    number of its revision."""

    response: str | None = None
    scoring: Any = None
    scenario: ScenarioDocument | None = None
    revision: int | None = None
    other: str | None = None


class Said(NamedTuple):
    """Something to know about one field of the document."""

    field: str
    words: str


@dataclass(frozen=True)
class Judged:
    """`verdict` is recomputed from the marks of the document; a total of None: nothing could be.

    `parameters` go into the epoch: two scales never share a board. Comparisons have a `decision`;
    `winner` is 1 or 2 where one won. `said` is what the document and the scenario disagree in."""

    mode: str
    verdict: Verdict
    parameters: Mapping[str, Any]
    decision: str = ""
    winner: int | None = None
    said: tuple[Said, ...] = ()


class Sheet(Protocol):
    """What the module of a shape offers. `read` raises FieldRefused."""

    def matches(self, payload: Payload) -> bool: ...

    def read(self, payload: Payload, given: Given) -> Judged: ...
