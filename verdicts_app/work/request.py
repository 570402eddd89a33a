"""What can be asked to be judged, and how a part of it is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import TypeVar

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import SCENARIO_MODES

MAX_REPEATS = 5
# Below SQLite's limit of parameters in one statement.
CHUNK = 1000


@dataclass(frozen=True, kw_only=True)
class JudgeRequest:
    """Judge a run, or the responses named. What is None is decided by scenario and settings."""

    run_id: str | None = None
    response_ids: Sequence[int] | None = None
    mode: str | None = None
    rubric_key: str | None = None
    model: str | None = None
    effort: str | None = None
    output_mode: str | None = None
    repeats: int = 1
    budget_usd: Decimal | None = None
    rejudge: bool = False
    use_gold: bool = True

    def check(self) -> None:
        """Raise CaseRefused, naming the field that cannot be used."""
        if (self.run_id is None) == (self.response_ids is None):
            raise CaseRefused("run_id", "name either a run or responses")
        if self.mode is not None and self.mode not in SCENARIO_MODES:
            raise CaseRefused("mode", f"{self.mode!r}: expected one of {', '.join(SCENARIO_MODES)}")
        if not 1 <= self.repeats <= MAX_REPEATS:
            raise CaseRefused("repeats", f"{self.repeats}: expected 1 to {MAX_REPEATS}")
        budget = self.budget_usd
        if budget is not None and (budget.is_nan() or not 0 < budget <= 1_000_000):
            raise CaseRefused("budget_usd", f"{self.budget_usd}: expected more than 0")


@dataclass(frozen=True)
class Refusal:
    """Responses that cannot be judged as asked: `field` names what is missing or wrong."""

    scenario: str
    field: str
    message: str
    responses: int = 1


@dataclass(frozen=True)
class Unlinked:
    """Responses whose scenario is not known here."""

    scenario: str
    responses: int


T = TypeVar("T")


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
