"""One judgement asked for with its data, and its result waited for."""

from threading import BoundedSemaphore
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from ninja import Header, Query, Router, Status

from judgeweb.access.bearer import Bearer, caller
from judgeweb.access.tokens import actor_of
from judgeweb.problems import Problem
from verdicts_app.api.idempotency import once
from verdicts_app.api.jobs import job_out, job_url
from verdicts_app.api.schemas import PROBLEMS, JobOut, JudgementIn, ProblemOut, ResultOut
from verdicts_app.exports.results import NotJudged, step6
from verdicts_app.intake import judgement_data
from verdicts_app.models import Job, JudgementState
from verdicts_app.tasks import wake_workers
from verdicts_app.work.asked import Asked, ask, is_settled, wait
from verdicts_app.work.request import JudgeRequest

router = Router(tags=["judging"])
LONGEST_WAIT_S = 30

_waiters = BoundedSemaphore(settings.JUDGE_WAITERS)
"""A waiting request holds a thread of the web process: a few may, the others get their 202."""


@router.post(
    "/judgements",
    auth=Bearer("judge"),
    response={200: ResultOut, 202: JobOut, PROBLEMS | {409, 502}: ProblemOut},
    operation_id="create_judgement",
    exclude_unset=True,
    summary="Judge one response, two, or a relay",
)
def create_judgement(
    request: HttpRequest,
    response: HttpResponse,
    body: JudgementIn,
    wait_s: int = Query(0, alias="wait", ge=0, le=LONGEST_WAIT_S),
    idempotency_key: str = Header("", alias="Idempotency-Key"),
) -> Status[Any]:
    """Takes the seed's mode and data. 202 with the job, or with `?wait=10` the result in the
    seed's shape as soon as it is there. The same data judged before under the same rubric and
    judge gives that result at once, unless `rejudge` is true. 502 where no judge gave a valid
    verdict; a result with `success` false where fewer than half of several did. Scope: judge."""
    asked = once(
        request, body.dict(), do=lambda: _ask(request, body), again=lambda job: _asked_before(job)
    )
    if asked.job is None:
        return Status(200, _result(asked, body.mode))
    if wait_s:
        _wait(asked, wait_s)
        if _is_over(asked):
            return Status(200, _result(asked, body.mode))
    job = Job.objects.get(pk=asked.job.pk)
    response["Location"] = job_url(job)
    return Status(202, job_out(job))


def _ask(request: HttpRequest, body: JudgementIn) -> tuple[Job | None, Asked]:
    token = caller(request)
    actor = actor_of(token)
    taken = judgement_data.take_in(
        body.data, mode=body.mode, run_id=body.run_id, user=token.user, actor=actor
    )
    asked = ask(
        request=JudgeRequest(
            **taken,
            rubric_key=body.rubric,
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
        ),
        user=token.user,
        actor=actor,
    )
    if asked.job is not None:
        transaction.on_commit(wake_workers)
    return asked.job if asked.is_own else None, asked


def _asked_before(job: Job) -> Asked:
    return Asked(job, tuple(job.judgements.values_list("pk", flat=True)), is_own=True)


def _wait(asked: Asked, seconds: int) -> None:
    if is_settled(asked) or not _waiters.acquire(blocking=False):
        return
    try:
        wait(asked, seconds=seconds)
    finally:
        _waiters.release()


def _is_over(asked: Asked) -> bool:
    over = (JudgementState.JUDGED, JudgementState.UNJUDGED, JudgementState.CANCELLED)
    return all(judgement.state in over for judgement in asked.judgements())


def _result(asked: Asked, mode: str) -> dict[str, Any]:
    try:
        return step6(asked.judgements(), mode=mode)
    except NotJudged as error:
        raise Problem(
            502,
            f"Judge validation failed: {error}. DO NOT estimate scores.",
            kind="not-judged",
            more={"mode": mode, "job": str(asked.job.pk) if asked.job else None},
        ) from error
