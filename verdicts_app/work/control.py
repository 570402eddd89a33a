"""What people do to a job. Each function returns True where it changed something, and writes
what it did to the job's events and the audit log. Entry points wake the workers afterwards."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from judgeweb.access import audit
from judgeweb.judging.errors import CaseRefused
from verdicts_app.models import OPEN_STATES, Job, JobState, Judgement, JudgementState, Verdict
from verdicts_app.work import states
from verdicts_app.work.budget import NANO
from verdicts_app.work.request import chunks

UNFINISHED = [JobState.RUNNING, JobState.PAUSED, JobState.PARKED, JobState.WAITING]


@transaction.atomic
def pause_job(*, job_id: UUID, actor: str) -> bool:
    """Requests on their way are still recorded; nothing new is sent."""
    froms = [JobState.RUNNING, JobState.WAITING, JobState.PARKED]
    return _change(
        job_id, froms, actor, "pause job", state=JobState.PAUSED, state_detail="", retry_at=None
    )


@transaction.atomic
def resume_job(*, job_id: UUID, actor: str) -> bool:
    """A job that waited for a judge is probed anew; a parked one parks again without budget."""
    froms = [JobState.PAUSED, JobState.PARKED, JobState.WAITING]
    return _change(job_id, froms, actor, "resume job", **_RUNNING)


_RUNNING: dict[str, Any] = {
    "state": JobState.RUNNING,
    "state_detail": "",
    "retry_at": None,
    "probed_at": None,
}


@transaction.atomic
def cancel_job(*, job_id: UUID, actor: str) -> bool:
    """What is planned is cancelled now; what a worker holds is recorded or cancelled by it."""
    now = timezone.now()
    changed = _change(
        job_id,
        UNFINISHED,
        actor,
        "cancel job",
        state=JobState.CANCELLED,
        state_detail="",
        retry_at=None,
        finished_at=now,
    )
    if changed:
        Judgement.objects.filter(job_id=job_id, state=JudgementState.PLANNED).update(
            state=JudgementState.CANCELLED, finished_at=now
        )
    return changed


@transaction.atomic
def retry_unjudged(*, job_id: UUID, actor: str) -> int:
    """Plan the job's unjudged again, and say how many. What was judged or planned elsewhere in
    the meantime stays as it is; a cancelled job stays cancelled."""
    job = Job.objects.select_for_update().get(pk=job_id)
    if job.state == JobState.CANCELLED:
        return 0
    again = _retry(job)
    if again:
        Job.objects.filter(pk=job_id, state=JobState.DONE).update(finished_at=None, **_RUNNING)
        states.say(job_id, f"{again} unjudged are tried again by {actor}")
        audit.record(actor=actor, action="retry unjudged", target=str(job_id), detail=str(again))
    return again


def _retry(job: Job) -> int:
    open_ones = Judgement.objects.filter(identity=OuterRef("identity"), state__in=OPEN_STATES)
    live = Verdict.objects.filter(identity=OuterRef("identity"), superseded_at=None)
    unjudged = Judgement.objects.filter(job=job, state=JudgementState.UNJUDGED)
    latest: dict[str, int] = dict(
        unjudged.exclude(Exists(open_ones))
        .exclude(Exists(live))
        .order_by("id")
        .values_list("identity", "pk")
    )
    return sum(
        Judgement.objects.filter(pk__in=pks).update(
            state=JudgementState.PLANNED,
            unjudged_reason="",
            unjudged_detail="",
            finished_at=None,
            lost=0,
            planned_at=timezone.now(),
        )
        for pks in chunks(latest.values())
    )


@transaction.atomic
def change_budget(*, job_id: UUID, budget_usd: Decimal, actor: str) -> bool:
    """A parked job with room again goes on. Raise CaseRefused for a budget that is none."""
    if budget_usd.is_nan() or not 0 < budget_usd <= 1_000_000:
        raise CaseRefused("budget_usd", f"{budget_usd}: expected more than 0", str(budget_usd))
    budget = int(budget_usd * NANO)
    text = f"{budget_usd} USD"
    changed = _change(job_id, UNFINISHED, actor, "change budget", text=text, budget_nano_usd=budget)
    parked = Job.objects.filter(pk=job_id, state=JobState.PARKED, committed_nano_usd__lt=budget)
    if parked.update(**_RUNNING):
        states.say(job_id, "Goes on under the new budget")
    return changed


def _change(
    job_id: UUID, froms: list[JobState], actor: str, action: str, *, text: str = "", **to: Any
) -> bool:
    if not Job.objects.filter(pk=job_id, state__in=froms).update(**to):
        return False
    states.say(job_id, f"{action.capitalize()} {text}".strip() + f", by {actor}")
    audit.record(actor=actor, action=action, target=str(job_id), detail=text)
    return True
