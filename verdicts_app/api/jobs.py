"""Jobs: how far they are, and what can be done to them."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest
from ninja import Router

from judgeweb.access.bearer import Bearer, caller
from judgeweb.access.tokens import actor_of
from judgeweb.problems import Problem
from verdicts_app.api.schemas import PROBLEMS, Action, BudgetIn, JobOut, ProblemOut
from verdicts_app.boards.flips import flips_of
from verdicts_app.exports.numbers import dollars
from verdicts_app.models import Job
from verdicts_app.tasks import wake_workers
from verdicts_app.work import control
from verdicts_app.work.progress import job_progress

router = Router(tags=["jobs"])
CONFLICTS = PROBLEMS | {409}


@router.get(
    "/jobs/{job_id}",
    auth=Bearer("read"),
    response={200: JobOut, PROBLEMS: ProblemOut},
    operation_id="get_job",
    summary="State of a job",
)
def get_job(request: HttpRequest, job_id: UUID) -> dict[str, Any]:
    """Counts, money and events. Scope: read."""
    return job_out(find_job(job_id))


@router.post(
    "/jobs/{job_id}/{action}",
    auth=Bearer("judge"),
    response={200: JobOut, CONFLICTS: ProblemOut},
    operation_id="act_on_job",
    summary="Pause, resume, cancel a job, or retry its unjudged",
)
def act_on_job(request: HttpRequest, job_id: UUID, action: Action) -> dict[str, Any]:
    """409 where the job's state does not allow it. Scope: judge."""
    job = find_job(job_id)
    acts = {
        "pause": control.pause_job,
        "resume": control.resume_job,
        "cancel": control.cancel_job,
        "retry": control.retry_unjudged,
    }
    changed = acts[action](job_id=job.pk, actor=actor_of(caller(request)))
    job.refresh_from_db()
    if not changed:
        why = "nothing is unjudged" if action == "retry" else f"the job is {job.state}"
        raise Problem(409, f"There is nothing to {action}: {why}.")
    wake_workers()
    return job_out(job)


@router.patch(
    "/jobs/{job_id}",
    auth=Bearer("judge"),
    response={200: JobOut, CONFLICTS: ProblemOut},
    operation_id="change_budget",
    summary="Change the budget of a job",
)
def change_budget(request: HttpRequest, job_id: UUID, change: BudgetIn) -> dict[str, Any]:
    """A job that was parked goes on where there is room again. Scope: judge."""
    job = find_job(job_id)
    actor = actor_of(caller(request))
    if not control.change_budget(job_id=job.pk, budget_usd=change.budget_usd, actor=actor):
        raise Problem(409, f"The job is {job.state}: its budget is of no use any more.")
    wake_workers()
    job.refresh_from_db()
    return job_out(job)


def find_job(job_id: UUID) -> Job:
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        raise Http404(f"There is no job {job_id}.")
    return job


def job_url(job: Job) -> str:
    return f"/api/v1/jobs/{job.pk}"


def job_out(job: Job) -> dict[str, Any]:
    progress = job_progress(job)
    flips = flips_of(job, judged=progress.judged)
    return {
        "id": progress.job_id,
        "url": job_url(job),
        "state": progress.state,
        "state_detail": progress.state_detail,
        "retry_at": progress.retry_at,
        "total": progress.total,
        "waiting": progress.waiting,
        "in_hand": progress.in_hand,
        "judged": progress.judged,
        "unjudged": progress.unjudged,
        "cancelled": progress.cancelled,
        "unjudged_reasons": dict(progress.reasons),
        "requests": progress.requests,
        "lost_requests": progress.lost_requests,
        "spent_usd": dollars(progress.spent_nano_usd),
        "on_the_way_usd": dollars(progress.on_the_way_nano_usd),
        "budget_usd": dollars(progress.budget_nano_usd),
        "estimate_usd": dollars(progress.estimate_nano_usd),
        "per_minute": progress.rate,
        "eta_s": progress.eta_s,
        "repeated_items": flips.items if flips else None,
        "flipped_items": flips.flipped if flips else None,
        "events": progress.events,
    }
