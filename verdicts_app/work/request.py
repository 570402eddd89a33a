"""What can be asked to be judged, and how a part of it is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from decimal import Decimal
from itertools import islice
from typing import Any, TypeVar

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import MODES

CALLS = "calls"
"""The mode that judges captures."""
MAX_REPEATS = 5
# Below SQLite's limit of parameters in one statement.
CHUNK = 1000


@dataclass(frozen=True, kw_only=True)
class JudgeRequest:
    """Judge a run, or the responses or captures named. What is None is decided by scenario and
    settings.

    Without a mode a run is judged whole: its answers and its captures. `call_type` means the
    captures of that type alone; types that judge other captures are left out unless named so.
    """

    run_id: str | None = None
    response_ids: Sequence[int] | None = None
    capture_ids: Sequence[int] | None = None
    mode: str | None = None
    call_type: str | None = None
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
        named = [self.run_id, self.response_ids, self.capture_ids]
        if sum(one is not None for one in named) != 1:
            raise CaseRefused("run_id", "name either a run or responses or captures")
        self._check_mode()
        if not 1 <= self.repeats <= MAX_REPEATS:
            raise CaseRefused(
                "repeats", f"{self.repeats}: expected 1 to {MAX_REPEATS}", self.repeats
            )
        budget = self.budget_usd
        if budget is not None and (budget.is_nan() or not 0 < budget <= 1_000_000):
            raise CaseRefused("budget_usd", f"{budget}: expected more than 0", str(budget))

    def _check_mode(self) -> None:
        if self.mode is not None and self.mode not in MODES:
            raise CaseRefused(
                "mode", f"{self.mode!r}: expected one of {', '.join(MODES)}", self.mode
            )
        if self.call_type is not None and self.mode not in (None, CALLS):
            message = f"mode {self.mode!r} does not judge captures"
            raise CaseRefused("call_type", message, self.call_type)
        if self.call_type is not None and self.run_id is None:
            raise CaseRefused("call_type", "is for the captures of a run", self.call_type)
        if self.capture_ids is not None and self.mode not in (None, CALLS):
            message = f"{self.mode!r}: captures are judged in mode {CALLS!r}"
            raise CaseRefused("mode", message, self.mode)
        if self.response_ids is not None and self.mode == CALLS:
            raise CaseRefused("mode", f"{CALLS!r} judges captures, not responses", self.mode)

    @property
    def wants_responses(self) -> bool:
        if self.run_id is None:
            return self.response_ids is not None
        return self.call_type is None and self.mode != CALLS

    @property
    def wants_captures(self) -> bool:
        if self.run_id is None:
            return self.capture_ids is not None
        return self.mode in (None, CALLS)


@dataclass(frozen=True)
class Refusal:
    """Responses that cannot be judged as asked: `field` names what is missing or wrong, `value`
    is what stood there, where that is known. Captures have their call type in the place of the
    scenario."""

    scenario: str
    field: str
    message: str
    responses: int = 1
    value: Any = field_of(default=None, compare=False)


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
