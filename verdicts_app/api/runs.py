"""Runs: answers in, judging asked for."""

from dataclasses import replace
from typing import Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Header, Router, Status

from judgeweb.access.bearer import Bearer, caller
from judgeweb.access.tokens import actor_of
from judgeweb.problems import Fault, Problem
from verdicts_app.api.bodies import read_upload
from verdicts_app.api.idempotency import once
from verdicts_app.api.jobs import job_out, job_url
from verdicts_app.api.schemas import (
    PROBLEMS,
    JudgeRunIn,
    PlannedOut,
    PriceOut,
    ProblemOut,
    ReceiptOut,
    RunOut,
)
from verdicts_app.boards.run_page import run_page
from verdicts_app.exports.numbers import dollars
from verdicts_app.intake import linking, responses
from verdicts_app.intake.receipts import Receipt
from verdicts_app.models import Job
from verdicts_app.tasks import wake_workers
from verdicts_app.work.plan import PlannedJob, plan_job
from verdicts_app.work.price import Price, price
from verdicts_app.work.request import JudgeRequest

router = Router(tags=["runs"])

UPLOAD_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": {}},
        "application/x-ndjson": {"schema": {"type": "string"}},
        "application/yaml": {"schema": {"type": "string"}},
        "text/csv": {"schema": {"type": "string"}},
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "properties": {
                    "files": {"type": "array", "items": {"type": "string", "format": "binary"}}
                },
            }
        },
    },
}


@router.post(
    "/runs/{run_id}/responses",
    auth=Bearer("upload"),
    response={200: ReceiptOut, PROBLEMS: ProblemOut},
    operation_id="upload_responses",
    summary="Upload results",
    openapi_extra={"requestBody": UPLOAD_BODY},
)
def upload_responses(
    request: HttpRequest, run_id: str, spec: str = "", scenario: str = "", dry_run: bool = False
) -> Receipt:
    """Results in any shape: answers, judges' results of other tools (verdicts in an epoch of their
    own), summaries, tables of findings and preferences, themes. JSON, NDJSON, YAML or CSV, one
    document or several, or files of a form; plain or gzip, with or without Content-Length. Each is
    recognised by its content. Sending twice changes nothing.

    `spec` and `scenario` are for documents that name none. `dry_run` reports and stores nothing.
    Scope: upload."""
    how = responses.Upload(spec=spec, scenario=scenario)
    return take_upload(request, run_id, how, dry_run=dry_run)


def take_upload(
    request: HttpRequest, run_id: str, how: responses.Upload, *, dry_run: bool
) -> Receipt:
    """The fields of a form stand in for parameters that are not in the address."""
    upload = read_upload(request)
    token = caller(request)
    names = ("spec", "scenario", "judge", "opponent")
    form: dict[str, Any] = {
        name: upload.form.get(name, "") for name in names if not getattr(how, name)
    }
    receipt = responses.take_in(
        run_id=run_id,
        files=upload.files,
        how=replace(how, **form),
        user=token.user,
        actor=actor_of(token),
        dry_run=dry_run,
    )
    if not receipt.taken:
        raise nothing_taken(receipt)
    return receipt


def nothing_taken(receipt: Receipt) -> Problem:
    return Problem(
        422,
        f"None of the {len(receipt.refused)} documents could be taken.",
        kind="nothing-taken",
        faults=[
            Fault(" ".join(filter(None, (r.file, r.place, r.field))), r.reason)
            for r in receipt.refused
        ],
    )


@router.get(
    "/runs/{run_id}",
    auth=Bearer("read"),
    response={200: RunOut, PROBLEMS: ProblemOut},
    operation_id="get_run",
    summary="What a run holds",
)
def get_run(request: HttpRequest, run_id: str) -> dict[str, Any]:
    """Counts, scenarios that are not known here, and its jobs. Scope: read."""
    page = run_page(run_id)
    if page is None:
        raise no_run(run_id)
    return {
        "run_id": page.run.run_id,
        "created_at": page.run.created_at,
        "is_sample": page.run.is_sample,
        "responses": page.responses,
        "answered": page.answered,
        "failed": page.failed,
        "judged": page.judged,
        "unlinked": [
            {"scenario": group.scenario_key, "responses": group.answers} for group in page.unlinked
        ],
        "jobs": [str(job.pk) for job in page.jobs],
    }


def no_run(run_id: str) -> Http404:
    return Http404(f"There is no run {run_id[:200]!r}.")


@router.post(
    "/runs/{run_id}/judge",
    auth=Bearer("judge"),
    response={200: PriceOut, 202: PlannedOut, PROBLEMS | {409}: ProblemOut},
    operation_id="judge_run",
    summary="Judge what a run holds",
)
def judge_run(
    request: HttpRequest,
    response: HttpResponse,
    run_id: str,
    body: JudgeRunIn,
    idempotency_key: str = Header("", alias="Idempotency-Key"),
) -> Status[Any]:
    """Plans a job: 202, or with `dry_run` its price and 200. What is judged already is left out
    unless `rejudge` is true. Scope: judge."""
    linking.link_unlinked()
    asked = JudgeRequest(
        run_id=run_id,
        mode=body.mode,
        call_type=body.call_type,
        rubric_key=body.rubric,
        opponent=body.opponent,
        model=body.model,
        models=body.models,
        effort=body.effort,
        orders=body.orders,
        repeats=body.repeats,
        budget_usd=body.budget_usd,
        rejudge=body.rejudge,
        claims=body.claims,
        claims_model=body.claims_model,
        shuffle=body.shuffle,
        use_gold=body.use_gold,
    )
    if run_page(run_id) is None:
        raise no_run(run_id)
    if body.dry_run:
        return Status(200, price_out(price(request=asked)))
    answer = once(
        request,
        body.dict(),
        do=lambda: _plan(request, asked),
        again=lambda job: {"job": job, **NOTHING_NEW, "planned": job.judgements.count()},
    )
    response["Location"] = job_url(answer["job"])
    return Status(202, {**answer, "job": job_out(answer["job"])})


NOTHING_NEW: dict[str, Any] = {
    "already_judged": 0,
    "already_planned": 0,
    "failed_runs": 0,
    "unlinked": (),
    "refused": (),
}


def _plan(request: HttpRequest, asked: JudgeRequest) -> tuple[Job, dict[str, Any]]:
    token = caller(request)
    planned: PlannedJob = plan_job(request=asked, user=token.user, actor=actor_of(token))
    transaction.on_commit(wake_workers)
    return planned.job, vars(planned)


def price_out(priced: Price) -> dict[str, Any]:
    return {
        **vars(priced),
        "estimate_usd": dollars(priced.estimate_nano_usd),
        "first_request_usd": dollars(priced.first_request_nano_usd),
    }
