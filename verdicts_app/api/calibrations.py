"""Calibration: judges tried on gold standards."""

from fractions import Fraction
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from ninja import Header, Router, Status

from judgeweb.access.bearer import Bearer, caller
from judgeweb.access.tokens import actor_of
from verdicts_app.api.idempotency import once
from verdicts_app.api.jobs import job_out, job_url
from verdicts_app.api.runs import NOTHING_NEW, price_out
from verdicts_app.api.schemas import (
    PROBLEMS,
    CalibrateIn,
    CalibrationOut,
    PlannedOut,
    PriceOut,
    ProblemOut,
)
from verdicts_app.boards.calibration import TOLERANCE, Calibration, calibrations
from verdicts_app.exports.numbers import number
from verdicts_app.models import Job
from verdicts_app.tasks import wake_workers
from verdicts_app.work.golds import scenarios_with_gold
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
    """By judge (epoch) and scenario, for the gold standards as they are published now. Scope:
    read."""
    return [calibration_out(one) for one in calibrations(scenario=scenario)]


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
    `dry_run` its price. Without `scenarios`: of all that have one. Scope: judge."""
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


def calibration_out(one: Calibration) -> dict[str, Any]:
    return {
        "scenario": one.scenario,
        "epoch": one.epoch.digest,
        "mode": one.epoch.mode,
        "judge": one.judge,
        "gold_revision": one.gold.number,
        "gold_score": number(one.gold_score),
        "graded_by": one.graded_by,
        "totals": [number(total) for total in one.totals],
        "mean": number(one.mean),
        "spread": number(one.spread),
        "deviation": number(one.deviation),
        "tolerance": number(Fraction(TOLERANCE)),
        "within": one.is_within,
        "judged_at": one.judged_at,
    }
