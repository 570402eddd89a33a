"""Calibration: judges tried on gold standards."""

from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from ninja import Header, Router, Status

from judgeweb.access.bearer import Bearer, caller
from judgeweb.access.tokens import actor_of
from rubrics_app.selectors import scenarios_with_gold
from verdicts_app.api.calibration_schemas import CalibrateIn, CalibrationOut
from verdicts_app.api.idempotency import once
from verdicts_app.api.jobs import job_out, job_url
from verdicts_app.api.runs import NOTHING_NEW, price_out
from verdicts_app.api.schemas import PROBLEMS, PlannedOut, PriceOut, ProblemOut
from verdicts_app.boards.calibration import calibration_history, calibrations
from verdicts_app.exports.calibrations import calibration_values
from verdicts_app.models import Job
from verdicts_app.tasks import wake_workers
from verdicts_app.work.plan import plan_job
from verdicts_app.work.price import price
from verdicts_app.work.request import JudgeRequest

router = Router(tags=["judging"])


@router.get(
    "/calibrations",
    auth=Bearer("read"),
    response={200: list[CalibrationOut], PROBLEMS: ProblemOut},
    operation_id="list_calibrations",
    summary="How far judges are off the gold standards",
)
def list_calibrations(request: HttpRequest, scenario: str = "") -> list[dict[str, Any]]:
    """By judge (epoch) and scenario the newest that counts, for the gold standards as they are
    published now. Scope: read."""
    return [calibration_values(one) for one in calibrations(scenario=scenario)]


@router.get(
    "/calibrations/history",
    auth=Bearer("read"),
    response={200: list[CalibrationOut], PROBLEMS: ProblemOut},
    operation_id="get_calibration_history",
    summary="Every calibration on one scenario, over time",
)
def get_calibration_history(request: HttpRequest, scenario: str) -> list[dict[str, Any]]:
    """Oldest first, on all revisions of its gold standard, also those that do not count. Scope:
    read."""
    return [calibration_values(one) for one in calibration_history(scenario)]


@router.post(
    "/calibrations",
    auth=Bearer("judge"),
    response={200: PriceOut, 202: PlannedOut, PROBLEMS | {409}: ProblemOut},
    operation_id="calibrate",
    summary="Calibrate a judge",
)
def calibrate(
    request: HttpRequest,
    response: HttpResponse,
    body: CalibrateIn,
    idempotency_key: str = Header("", alias="Idempotency-Key"),
) -> Status[Any]:
    """Judges the answers of gold standards blind, `repeats` times each: 202 with a job, or with
    `dry_run` its price. Without `scenarios`: of all that have one. Earlier verdicts are
    superseded by valid new ones and stay readable as the history. Scope: judge."""
    asked = JudgeRequest(
        golds=body.scenarios or scenarios_with_gold(),
        rubric_key=body.rubric,
        model=body.model,
        models=body.models,
        effort=body.effort,
        repeats=body.repeats,
        budget_usd=body.budget_usd,
        rejudge=body.rejudge,
        claims=body.claims,
        claims_model=body.claims_model,
        shuffle=body.shuffle,
    )
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


def _plan(request: HttpRequest, asked: JudgeRequest) -> tuple[Job, dict[str, Any]]:
    token = caller(request)
    planned = plan_job(request=asked, user=token.user, actor=actor_of(token))
    transaction.on_commit(wake_workers)
    return planned.job, vars(planned)
