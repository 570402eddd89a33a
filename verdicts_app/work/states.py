"""How a job changes its state by itself. What people do to it is in `control`.

Every change is conditional on the state it starts from, so that of two workers one makes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.utils import timezone

from judgeweb.judging.errors import JudgeFault
from judgeweb.judging.text import visible
from verdicts_app.models import OPEN_STATES, Job, JobEvent, JobState, Judgement
from verdicts_app.work.budget import NANO
from verdicts_app.work.judge_config import NOT_CONFIGURED

RETRY_S = 60
"""Where nothing says how long to wait. A probe costs a few tokens."""
RETRY_REFUSED_S = 15 * 60
"""No credit or no permission: somebody has to do something first."""
NOT_FOUND = 404


def say(job_id: UUID, text: str) -> None:
    JobEvent.objects.create(job_id=job_id, text=text[:500])


def park(job_id: UUID, detail: str) -> bool:
    return _leave_running(job_id, JobState.PARKED, f"Parked: {detail}", None)


def why_parked(job_id: UUID) -> str:
    budget, committed = Job.objects.values_list("budget_nano_usd", "committed_nano_usd").get(
        pk=job_id
    )
    left = ((budget or 0) - committed) / NANO
    return (
        f"{left:.4f} USD of the budget are left, and the next request could cost more. "
        "Raise the budget to go on."
    )


def wait_for_judge(job_id: UUID, fault: JudgeFault) -> bool:
    """The job waits and is probed again at its time; for an unknown model that is never, since
    only a person can give it another name."""
    message = visible(fault.message)[0]
    return _leave_running(
        job_id, JobState.WAITING, f"Waiting for a judge: {message}", retry_time(fault)
    )


def wait_for_configuration(job_id: UUID) -> bool:
    return _leave_running(job_id, JobState.WAITING, NOT_CONFIGURED, timezone.now())


def retry_time(fault: JudgeFault) -> datetime | None:
    if fault.status in (NOT_FOUND, 400):
        return None
    seconds: float = RETRY_REFUSED_S if fault.status in (401, 402, 403) else RETRY_S
    if fault.retry_after_s is not None:
        seconds = fault.retry_after_s
    return timezone.now() + timedelta(seconds=seconds)


def _leave_running(job_id: UUID, state: JobState, detail: str, retry_at: datetime | None) -> bool:
    left = Job.objects.filter(pk=job_id, state=JobState.RUNNING).update(
        state=state, state_detail=detail[:500], retry_at=retry_at, probed_at=None
    )
    if left:
        say(job_id, detail)
    return bool(left)


def go_on(job_id: UUID, *, text: str) -> bool:
    """A waiting job runs again; it is probed first."""
    went = Job.objects.filter(pk=job_id, state=JobState.WAITING).update(
        state=JobState.RUNNING, state_detail="", retry_at=None, probed_at=None
    )
    if went:
        say(job_id, text)
    return bool(went)


def finish(job_ids: Iterable[UUID]) -> int:
    """Mark as done what has no open judgement left. Calling it again changes nothing."""
    open_ones = Judgement.objects.filter(job=OuterRef("pk"), state__in=OPEN_STATES)
    unfinished = Job.objects.filter(finished_at=None, pk__in=list(job_ids))
    finished = 0
    for job_id in unfinished.exclude(Exists(open_ones)).values_list("pk", flat=True):
        finished += _finish(job_id)
    return finished


def _finish(job_id: UUID) -> int:
    open_ones = Judgement.objects.filter(job=OuterRef("pk"), state__in=OPEN_STATES)
    done = (
        Job.objects.filter(pk=job_id, finished_at=None)
        .exclude(Exists(open_ones))
        .update(state=JobState.DONE, state_detail="", retry_at=None, finished_at=timezone.now())
    )
    if done:
        say(job_id, "Done")
    return done
