"""Cells of captures: what those with one call type and one system prompt have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import QuerySet, Value
from django.db.models.functions import Coalesce, Length

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import mode_named
from judgeweb.judging.types import CallCase, Mode, Prompt
from rubrics_app import selectors
from rubrics_app.models import Revision
from verdicts_app.models import JUDGING_TYPES, Capture
from verdicts_app.work.cases import SOLO_ORDERS
from verdicts_app.work.cells import rubric_to_pin
from verdicts_app.work.identity import EpochPins, pin
from verdicts_app.work.judge_config import JudgeChoice, origin_of_new_verdicts
from verdicts_app.work.request import CALLS, JudgeRequest, Refusal, chunks


class CallRow(NamedTuple):
    """A capture as planning reads it: without its texts. Sizes are in characters."""

    id: int
    call_id: str
    call_type: str
    run_id: str
    prompt_id: int | None
    prompt_sha256: str
    prompt_size: int
    input_size: int
    response_size: int


@dataclass(eq=False)
class CallKind:
    """What all captures of a call type have in common."""

    call_type: str
    mode: Mode[CallCase]
    pins: EpochPins
    base_digest: str
    undecidable_allowed: bool
    contracts: dict[str, Revision]
    _frames: dict[bool, tuple[Prompt, ...]] = field(default_factory=dict)

    def frame(self, contract: Revision | None) -> tuple[Prompt, ...]:
        """The prompts with no material in them."""
        is_bound = contract is not None
        if is_bound not in self._frames:
            self._frames[is_bound] = self.prompts(contract, 0)
        return self._frames[is_bound]

    def prompts(self, contract: Revision | None, characters: int) -> tuple[Prompt, ...]:
        assert self.pins.rubric is not None
        return self.mode.prompts(
            CallCase(
                rubric=selectors.rubric_document(self.pins.rubric),
                call_type=self.call_type,
                system_prompt="",
                user_content="x" * characters,
                response_content="",
                parsed_ok=True,
                secret=settings.SECRET_KEY.encode(),
                contract=selectors.contract_document(contract) if contract else None,
                undecidable_allowed=self.undecidable_allowed,
            )
        )


@dataclass(frozen=True, eq=False)
class CallCell:
    kind: CallKind
    contract: Revision | None
    contract_pin: list[Any] | None
    cached_characters: int

    @property
    def mode(self) -> Mode[CallCase]:
        return self.kind.mode

    @property
    def pins(self) -> EpochPins:
        return self.kind.pins

    @property
    def base_digest(self) -> str:
        return self.kind.base_digest

    @property
    def frame(self) -> object:
        return (self.kind, self.contract is None)

    @property
    def pinned(self) -> tuple[int | None, ...]:
        return (None, None, None, self.contract.pk if self.contract else None)

    @property
    def entries(self) -> int:
        return 2 if self.contract else 3

    def prompts(self, characters: int) -> tuple[Prompt, ...]:
        if not characters:
            return self.kind.frame(self.contract)
        return self.kind.prompts(self.contract, characters)


class CallCells:
    """The cells of the captures in a request, with what refuses them."""

    def __init__(self, request: JudgeRequest, judge: JudgeChoice) -> None:
        self._request = request
        self._judge = judge
        self._origin = origin_of_new_verdicts(is_sample=request.is_sample)
        self._kinds: dict[str, CallKind | Refusal] = {}
        self._cells: dict[tuple[str, int | None], CallCell] = {}

    def of(self, row: CallRow) -> CallCell | Refusal:
        if not (row.prompt_size or row.input_size) and row.response_size:
            message = "the capture has neither user content nor a system prompt"
            return Refusal(row.call_type, "user_content", message)
        kind = self._kind(row.call_type)
        if isinstance(kind, Refusal):
            return kind
        key = (row.call_type, row.prompt_id)
        if key not in self._cells:
            contract = kind.contracts.get(row.prompt_sha256) or kind.contracts.get("")
            self._cells[key] = CallCell(kind, contract, pin(contract), row.prompt_size)
        return self._cells[key]

    def _kind(self, call_type: str) -> CallKind | Refusal:
        if call_type not in self._kinds:
            try:
                self._kinds[call_type] = self._new_kind(call_type)
            except CaseRefused as refused:
                self._kinds[call_type] = Refusal(
                    call_type, refused.field, refused.message, value=refused.value
                )
        return self._kinds[call_type]

    def _new_kind(self, call_type: str) -> CallKind:
        mode = mode_named(CALLS)
        undecidable_allowed = selectors.is_undecidable_allowed(call_type)
        pins = EpochPins(
            origin=self._origin,
            mode=mode.name,
            rubric=rubric_to_pin(mode.name, self._request),
            prompt_version=mode.prompt_version,
            requested_model=self._judge.model,
            parameters={
                **self._judge.parameters(orders=SOLO_ORDERS),
                "undecidable_allowed": undecidable_allowed,
            },
        )
        return CallKind(
            call_type=call_type,
            mode=mode,
            pins=pins,
            base_digest=pins.base_digest,
            undecidable_allowed=undecidable_allowed,
            contracts=selectors.contracts_of(call_type),
        )


def call_rows(request: JudgeRequest) -> Iterator[CallRow]:
    """By system prompt, so that those judged one after another share a cached prefix. Raise
    CaseRefused where the run holds nothing of the call type named."""
    found = 0
    for captures in _captures(request):
        values = captures.order_by("call_type", "system_prompt_id", "id").values_list(
            "id",
            "call_id",
            "call_type",
            "run__run_id",
            "system_prompt_id",
            Coalesce("system_prompt__sha256", Value("")),
            Coalesce(Length("system_prompt__text"), 0),
            Length("user_content"),
            Coalesce(Length("response_content"), 0),
        )
        for row in values.iterator(chunk_size=2000):
            found += 1
            yield CallRow._make(row)
    if not found and request.call_type is not None:
        raise CaseRefused(
            "call_type",
            f"run {request.run_id!r} holds no captures of call type {request.call_type!r}",
            request.call_type,
        )


def _captures(request: JudgeRequest) -> Iterator[QuerySet[Capture]]:
    if request.run_id is None:
        for ids in chunks(request.capture_ids or ()):
            yield Capture.objects.filter(pk__in=ids)
        return
    of_run = Capture.objects.filter(run__run_id=request.run_id)
    if request.call_type is not None:
        yield of_run.filter(call_type=request.call_type)
    else:
        yield of_run.exclude(call_type__in=JUDGING_TYPES)
