"""Verdicts: lists in keyset pages, and the whole record of one."""

import json
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from ninja import Query, Router

from judgeweb.access.bearer import Bearer
from rubrics_app.models import Revision
from verdicts_app.api.claims import claims_out, request_out
from verdicts_app.api.schemas import (
    PROBLEMS,
    EpochStart,
    Liveness,
    ModeName,
    ProblemOut,
    WholeVerdictOut,
)
from verdicts_app.api.schemas import (
    VerdictPage as VerdictPageOut,
)
from verdicts_app.api.several import several_out
from verdicts_app.boards.calibration import off_as_data
from verdicts_app.boards.repeats import several
from verdicts_app.boards.same_model import is_own
from verdicts_app.boards.subjects import SUBJECT_TEXTS, SUBJECTS_RELATED, models_of
from verdicts_app.boards.verdict_page import VerdictPage, judged_text, verdict_page
from verdicts_app.exports.numbers import dollars, number
from verdicts_app.models import (
    PHASES,
    POINT,
    Chain,
    Epoch,
    Origin,
    Verdict,
    VerdictCheck,
    VerdictFinding,
    VerdictMark,
)

router = Router(tags=["verdicts"])
READ = Bearer("read")
LARGEST_ID = 2**63 - 1
UNSHOWN = ("scenario__challenge", "scenario__extras", *SUBJECT_TEXTS)
"""Long texts that lists do not show."""


@router.get(
    "/verdicts",
    auth=READ,
    response={200: VerdictPageOut, PROBLEMS: ProblemOut},
    operation_id="list_verdicts",
    summary="Verdicts",
)
def list_verdicts(
    request: HttpRequest,
    after: int = Query(0, ge=0, le=LARGEST_ID),
    limit: int = Query(100, ge=1, le=1000),
    run: str = "",
    persona: str = "",
    scenario: str = "",
    mode: ModeName = "",
    epoch: EpochStart = "",
    job: UUID | None = None,
    live: Liveness = "true",
) -> dict[str, Any]:
    """Oldest first; `after` takes the `next` of the page before. `live=false` gives superseded
    ones only. Trials of the playground come only where their job or epoch is named. Scope: read."""
    wanted = {
        "run__run_id": run,
        "persona__spec": persona,
        "scenario__key": scenario,
        "mode": mode,
        "epoch__digest__startswith": epoch,
        "judgement__job": job,
    }
    verdicts = Verdict.objects.filter(
        pk__gt=after, **{key: value for key, value in wanted.items() if value}
    )
    if not (job or epoch):
        verdicts = verdicts.exclude(origin=Origin.TRIAL)
    if live != "any":
        verdicts = verdicts.filter(superseded_at__isnull=live == "true")
    return _page(verdicts.order_by("pk"), limit)


def _page(verdicts: QuerySet[Verdict], limit: int) -> dict[str, Any]:
    related = verdicts.select_related(
        *("run", "persona", "scenario", "epoch", "capture"), *SUBJECTS_RELATED
    )
    rows = list(related.defer(*UNSHOWN)[: limit + 1])
    return {
        "items": [verdict_out(verdict) for verdict in rows[:limit]],
        "next": rows[limit - 1].pk if len(rows) > limit else None,
    }


@router.get(
    "/verdicts/{verdict_id}",
    auth=READ,
    response={200: WholeVerdictOut, PROBLEMS: ProblemOut},
    operation_id="get_verdict",
    summary="A verdict with everything behind it",
)
def get_verdict(request: HttpRequest, verdict_id: int) -> dict[str, Any]:
    """Evidence, marks, working, stated figures, flags, pins, and each request with its exact prompt
    and raw reply. Scope: read."""
    page = verdict_page(verdict_id) if verdict_id <= LARGEST_ID else None
    if page is None:
        raise Http404(f"There is no verdict {verdict_id}.")
    return whole_out(page)


def verdict_out(verdict: Verdict) -> dict[str, Any]:
    return {
        "id": verdict.pk,
        "run": verdict.run.run_id if verdict.run else None,
        "persona": verdict.persona.spec if verdict.persona else None,
        "scenario": verdict.scenario.key if verdict.scenario else None,
        "call_id": verdict.capture.call_id if verdict.capture else None,
        "call_type": verdict.capture.call_type if verdict.capture else None,
        "mode": verdict.mode,
        "epoch": verdict.epoch.digest,
        "origin": verdict.origin,
        "repeat": verdict.repeat,
        "live": verdict.is_live,
        "on_board": verdict.on_board,
        "total": _exact(verdict.total_exact),
        "total_exact": verdict.total_exact,
        "without_persona": _scaled(verdict.without_persona_nano),
        "passed": verdict.passed,
        "decision": verdict.decision or None,
        "rating": verdict.rating or None,
        "theme": verdict.chain.theme if verdict.chain else None,
        "calibrates": verdict.gold_answer_id is not None,
        "same_model": is_own(verdict.epoch, *models_of(verdict)),
        "flags": [flag for flag in verdict.flags.split(",") if flag],
        "response_characters": verdict.response_characters,
        "answered_at": verdict.answered_at,
        "judged_at": verdict.judged_at,
        "cost_usd": dollars(verdict.cost_nano_usd),
        "input_tokens": verdict.input_tokens,
        "output_tokens": verdict.output_tokens,
        "latency_ms": verdict.latency_ms,
    }


def _scaled(nano: int | None) -> int | float | None:
    return None if nano is None else number(Fraction(nano, POINT))


def whole_out(page: VerdictPage) -> dict[str, Any]:
    verdict, detail, response = page.verdict, page.detail, page.response
    return {
        **verdict_out(verdict),
        "response_id": verdict.response_id,
        "response_text": _text(page),
        "character": response.character if response else "",
        "job": str(page.judgement.job_id) if page.judgement else None,
        "taken_from": page.judgement.taken_from_id if page.judgement else None,
        "parts": {name: number(value) for name, value in detail.parts.items()},
        "contestants": contestants_out(verdict),
        "answers": answers_out(verdict.chain),
        "marks": [mark_out(mark) for mark in verdict.marks.all()],
        "findings": [finding_out(finding) for finding in verdict.findings.all()],
        "checks": [check_out(check) for check in verdict.checks.all()],
        "working": [
            {
                "name": step.name,
                "expression": step.expression,
                "value": number(step.value),
                "note": step.note,
            }
            for step in detail.working
        ],
        "stated": detail.stated,
        "notes": detail.notes,
        "assessment": detail.assessment,
        "extra": json.loads(verdict.detail).get("extra", {}),
        "pins": pins_out(page),
        "judge_off": off_as_data(page.outside),
        "imported": page.imported,
        "claims": [claims_out(table) for table in page.claims],
        "seed": page.judgement.seed if page.judgement else "",
        "requests": [request_out(made) for made in page.requests],
        **several_out(several(verdict)),
    }


def _text(page: VerdictPage) -> str:
    if page.verdict.capture is not None:
        return page.verdict.capture.response_content or ""
    return judged_text(page.verdict)


def contestants_out(verdict: Verdict) -> list[dict[str, Any]]:
    """Of a comparison, in the order of its pair."""
    return [
        {
            "label": row.label,
            "persona": row.persona.spec,
            "character": row.response.character or row.persona.character,
            "response_id": row.response_id,
            "response_text": row.response.text,
            "total": _exact(row.total_exact),
            "total_exact": row.total_exact,
            "without_persona": _exact(row.without_persona_exact),
            "order_totals": [_exact(total) for total in json.loads(row.order_totals)],
            "outcome": row.outcome,
        }
        for row in verdict.contestants.select_related("persona", "response")
    ]


def _exact(text: str) -> int | float | None:
    return number(Fraction(text)) if text else None


def answers_out(chain: Chain | None) -> dict[str, dict[str, Any]]:
    """Of a relay, by phase."""
    if chain is None:
        return {}
    return {
        phase: {"response_id": response.pk, "response_text": response.text}
        for phase, response in zip(PHASES, chain.responses, strict=True)
    }


def mark_out(mark: VerdictMark) -> dict[str, Any]:
    return {
        "contestant": mark.contestant,
        "order": mark.order,
        "dimension": mark.dimension,
        "key": mark.key,
        "label": mark.label,
        "value": number(Fraction(mark.value_exact)),
        "band": mark.band,
        "coerced": mark.coerced,
        "reasoning": mark.reasoning,
    }


def finding_out(finding: VerdictFinding) -> dict[str, Any]:
    return {
        "contestant": finding.contestant,
        "order": finding.order,
        "kind": finding.kind,
        "id": finding.item_id,
        "category": finding.category,
        "description": finding.description,
        "weight": finding.weight,
        "found": finding.found,
        "evidence": finding.evidence,
        "evidence_state": finding.evidence_state,
        "evidence_at": _evidence_at(finding),
        "reasoning": finding.reasoning,
    }


def check_out(check: VerdictCheck) -> dict[str, Any]:
    return {
        "key": check.key,
        "ok": check.ok,
        "rationale": check.rationale,
        "worst_offender": check.worst_offender,
        "decided_by": check.decided_by,
        "evidence_state": check.evidence_state,
        "evidence_at": _evidence_at(check),
    }


def _evidence_at(row: VerdictFinding | VerdictCheck) -> list[int] | None:
    start, end = row.evidence_start, row.evidence_end
    return None if start is None or end is None else [start, end]


def pins_out(page: VerdictPage) -> dict[str, Any]:
    epoch: Epoch = page.epoch
    judgement = page.judgement
    return {
        "epoch": epoch.digest,
        "mode": epoch.mode,
        "rubric": _pin(epoch.rubric_revision),
        "scenario": _pin(judgement.scenario_revision) if judgement else None,
        "gold": _pin(judgement.gold_revision) if judgement else None,
        "contract": _pin(judgement.contract_revision) if judgement else None,
        "prompt_version": epoch.prompt_version,
        "requested_model": epoch.requested_model,
        "returned_model": epoch.returned_model,
        "parameters": json.loads(epoch.parameters or "{}"),
    }


def _pin(revision: Revision | None) -> dict[str, Any] | None:
    if revision is None:
        return None
    return {"key": revision.key, "revision": revision.number, "sha256": revision.sha256}
