"""What a judge's result of another tool gives: a verdict of the core, and how it was judged."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from judgeweb.judging.types import Verdict

Payload = Mapping[str, Any]
"""The judge's own object. Numbers are int or Decimal."""


@dataclass(frozen=True)
class Given:
    """What is known beside the document. `response` is the answer's text, None where it is not
    here: then quotes are kept and not looked up. `scoring` is the scenario's own rubric."""

    response: str | None = None
    scoring: Any = None


@dataclass(frozen=True)
class Judged:
    """`verdict` is recomputed from the marks of the document; a total of None: nothing could be.

    `parameters` go into the epoch: two scales never share a board. Comparisons have a `decision`;
    `winner` is 1 or 2 where one won."""

    mode: str
    verdict: Verdict
    parameters: Mapping[str, Any]
    decision: str = ""
    winner: int | None = None


class Sheet(Protocol):
    """What the module of a shape offers. `read` raises FieldRefused."""

    def matches(self, payload: Payload) -> bool: ...

    def read(self, payload: Payload, given: Given) -> Judged: ...
