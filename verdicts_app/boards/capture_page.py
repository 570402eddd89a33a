"""One captured call with its verdict and everything behind it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Coalesce, Length

from judgeweb.judging.documents import ContractDocument, RubricDocument
from judgeweb.judging.modes.calls import DIMENSIONS, SCHEMA
from judgeweb.judging.types import DecidedBy
from rubrics_app.models import Revision
from rubrics_app.selectors import contract_document, contract_for, rubric_document
from verdicts_app.boards.calibration import Calibration, Judge, judge_off
from verdicts_app.boards.capture_response import ShownResponse, shown_response
from verdicts_app.boards.rates import LABELS
from verdicts_app.boards.reasons import Reason, reason_in_words
from verdicts_app.boards.requests_made import RequestMade, requests_made
from verdicts_app.boards.same_model import own_of
from verdicts_app.boards.sentences import parameters_in_words
from verdicts_app.boards.stored_detail import StoredDetail, stored_detail
from verdicts_app.boards.verdict_page import FlagRow, flag_row
from verdicts_app.models import (
    OPEN_STATES,
    Capture,
    Epoch,
    Judgement,
    JudgementState,
    SystemPromptText,
    Verdict,
    VerdictCheck,
)

ATTEMPTS_MOST = 50
DECIDERS = {"rule": "by rule, without a contract", "contract": "by the contract"}


@dataclass(frozen=True, slots=True)
class CheckRow:
    """`ok` None: undecidable. `is_lost`: the quote is not in the response."""

    key: str
    label: str
    ok: bool | None
    rationale: str
    decided_by: str
    quote: str
    is_lost: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at the same logical call."""

    id: int
    call_id: str
    at: datetime
    parsed_ok: bool
    failure_kind: str
    is_empty: bool
    is_this: bool


@dataclass(frozen=True, slots=True)
class OtherOutcome:
    """A verdict on the call, or an unjudged judgement."""

    verdict_id: int | None
    at: datetime | None
    judge: str
    epoch: str
    repeat: int
    state: str
    passed: bool | None
    is_this: bool


@dataclass(frozen=True)
class CapturePage:
    """`judgement` is that of the verdict shown; where there is no verdict, the last one asked for,
    with its `reason` if it is unjudged. `contract` judged the response, or would judge it."""

    capture: Capture
    prompt: SystemPromptText | None
    verdict: Verdict | None
    judgement: Judgement | None
    epoch: Epoch | None
    checks: tuple[CheckRow, ...]
    response: ShownResponse
    contract: Revision | None
    contract_is_strict: bool
    rubric: RubricDocument | None
    detail: StoredDetail
    flags: tuple[FlagRow, ...]
    reason: Reason | None
    requests: tuple[RequestMade, ...]
    attempts: tuple[Attempt, ...]
    others: tuple[OtherOutcome, ...]
    extras: str
    previous: int | None
    next: int | None
    outside: tuple[Calibration, ...]
    own: tuple[str, ...]

    @property
    def at(self) -> datetime:
        return self.capture.at or self.capture.uploaded_at

    @property
    def is_waiting(self) -> bool:
        return self.judgement is not None and self.judgement.state in OPEN_STATES

    @property
    def parameters(self) -> str:
        return parameters_in_words(self.epoch.parameters) if self.epoch else ""


def capture_page(capture_id: int, *, verdict_id: int | None = None) -> CapturePage | None:
    """None where there is no such capture, or no such verdict on it."""
    capture = Capture.objects.select_related("run", "system_prompt").filter(pk=capture_id).first()
    if capture is None:
        return None
    verdicts = list(Verdict.objects.filter(capture=capture).select_related("epoch").order_by("-pk"))
    verdict = _shown(verdicts, verdict_id)
    if verdict is None and verdict_id is not None:
        return None
    return _page(capture, verdict, verdicts)


def _shown(verdicts: list[Verdict], verdict_id: int | None) -> Verdict | None:
    """The one named, else the newest that counts on a board, else the newest."""
    if verdict_id is not None:
        return next((verdict for verdict in verdicts if verdict.pk == verdict_id), None)
    counted = (verdict for verdict in verdicts if verdict.on_board)
    return next(counted, verdicts[0] if verdicts else None)


def _page(capture: Capture, verdict: Verdict | None, verdicts: list[Verdict]) -> CapturePage:
    judgements = list(
        Judgement.objects.filter(capture=capture)
        .select_related("epoch__rubric_revision", "contract_revision", "job__run")
        .order_by("-pk")
    )
    judgement = _judgement(judgements, verdict)
    stored = list(verdict.checks.all()) if verdict else []
    contract = _contract(capture, judgement)
    document = contract_document(contract) if contract else None
    epoch = judgement.epoch if judgement else verdict.epoch if verdict else None
    rubric = epoch.rubric_revision if epoch else None
    flags = (verdict.flags if verdict else "").split(",")
    is_unjudged = verdict is None and judgement and judgement.state == JudgementState.UNJUDGED
    prompt = capture.system_prompt
    return CapturePage(
        capture=capture,
        prompt=prompt,
        verdict=verdict,
        judgement=judgement,
        epoch=epoch,
        checks=_check_rows(stored, contract, epoch),
        response=shown_response(
            capture,
            system_prompt=prompt.original if prompt else "",
            contract=document,
            checks=stored,
        ),
        contract=contract,
        contract_is_strict=_is_strict(document),
        rubric=rubric_document(rubric) if rubric else None,
        detail=stored_detail(verdict.detail if verdict else "{}"),
        flags=tuple(flag_row(flag) for flag in flags if flag),
        reason=reason_in_words(judgement.unjudged_reason) if judgement and is_unjudged else None,
        requests=requests_made(judgement.pk if judgement else None),
        attempts=_attempts(capture),
        others=_others(verdicts, judgements, verdict),
        extras=_indented(capture.extras),
        previous=_beside(capture, is_next=False),
        next=_beside(capture, is_next=True),
        outside=judge_off(Judge.of(epoch)) if epoch else (),
        own=own_of(verdict) if verdict else (),
    )


def _judgement(judgements: list[Judgement], verdict: Verdict | None) -> Judgement | None:
    if verdict is None:
        return next(iter(judgements), None)
    return next((one for one in judgements if one.pk == verdict.judgement_id), None)


def _contract(capture: Capture, judgement: Judgement | None) -> Revision | None:
    """The contract that was pinned; where nobody judged yet, the one that fits now."""
    if judgement is not None:
        return judgement.contract_revision
    sha256 = capture.system_prompt.sha256 if capture.system_prompt else ""
    return contract_for(capture.call_type, sha256)


def _is_strict(document: ContractDocument | None) -> bool:
    return document is not None and document.strict


def _check_rows(
    stored: list[VerdictCheck], contract: Revision | None, epoch: Epoch | None
) -> tuple[CheckRow, ...]:
    by_key = {check.key: check for check in stored}
    return tuple(
        CheckRow(
            key=key,
            label=LABELS[key],
            ok=by_key[key].ok,
            rationale=by_key[key].rationale,
            decided_by=_decided_by(by_key[key], contract, epoch),
            quote=by_key[key].worst_offender,
            is_lost=by_key[key].evidence_state == "not_found",
        )
        for key in DIMENSIONS
        if key in by_key
    )


def _decided_by(check: VerdictCheck, contract: Revision | None, epoch: Epoch | None) -> str:
    if check.decided_by == DecidedBy.CONTRACT and contract:
        return f"by the contract {contract.key}, revision {contract.number}"
    if check.decided_by != DecidedBy.JUDGE:
        return DECIDERS.get(check.decided_by, check.decided_by)
    judge = f"by the judge, {epoch.judge}" if epoch else "by the judge"
    return f"{judge}: no contract fits" if check.key == SCHEMA else judge


def _attempts(capture: Capture) -> tuple[Attempt, ...]:
    """The tries that are linked with this one, first to last; none where it was tried once."""
    columns = ("id", "call_id", "at", "uploaded_at", "parsed_ok", "failure_kind", "retry_of_id")
    same_input = Capture.objects.filter(run_id=capture.run_id, input_crc=capture.input_crc)
    rows = list(
        same_input.order_by("pk")
        .annotate(size=Coalesce(Length("response_content"), 0))
        .values(*columns, "size")[:ATTEMPTS_MOST]
    )
    linked = _linked(capture.pk, {row["id"]: row["retry_of_id"] for row in rows})
    if len(linked) < 2:
        return ()
    return tuple(
        Attempt(
            id=row["id"],
            call_id=row["call_id"],
            at=row["at"] or row["uploaded_at"],
            parsed_ok=row["parsed_ok"],
            failure_kind=row["failure_kind"],
            is_empty=not row["size"],
            is_this=row["id"] == capture.pk,
        )
        for row in rows
        if row["id"] in linked
    )


def _linked(start: int, earlier: Mapping[int, int | None]) -> set[int]:
    """Every capture that a chain of retries joins with `start`."""
    roots: dict[int, int] = {}
    for pk in sorted(earlier):
        before = earlier[pk]
        roots[pk] = roots.get(before, pk) if before is not None else pk
    return {pk for pk, root in roots.items() if root == roots.get(start)}


def _others(
    verdicts: Iterable[Verdict], judgements: Iterable[Judgement], shown: Verdict | None
) -> tuple[OtherOutcome, ...]:
    """Every outcome on the capture, newest first."""
    rows = [
        OtherOutcome(
            verdict.pk,
            verdict.judged_at,
            verdict.epoch.judge,
            verdict.epoch.short,
            verdict.repeat,
            "live" if verdict.is_live else "superseded",
            verdict.passed,
            verdict == shown,
        )
        for verdict in verdicts
    ]
    rows += [
        OtherOutcome(
            None,
            judgement.finished_at,
            judgement.epoch.judge,
            judgement.epoch.short,
            judgement.repeat,
            f"unjudged: {judgement.unjudged_reason.replace('_', ' ')}",
            None,
            is_this=False,
        )
        for judgement in judgements
        if judgement.state == JudgementState.UNJUDGED
    ]
    return tuple(sorted(rows, key=lambda row: row.at.timestamp() if row.at else 0.0, reverse=True))


def _indented(extras: str) -> str:
    """Unknown fields of the line, as ASCII JSON."""
    return json.dumps(json.loads(extras), indent=2) if extras else ""


def _beside(capture: Capture, *, is_next: bool) -> int | None:
    of_type = Capture.objects.filter(run_id=capture.run_id, call_type=capture.call_type)
    ids = of_type.order_by("pk" if is_next else "-pk").values_list("pk", flat=True)
    return ids.filter(**{"pk__gt" if is_next else "pk__lt": capture.pk}).first()
