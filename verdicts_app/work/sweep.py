"""The sweeper: what workers that died, brokers that forgot and judges that failed left behind.

Everything here may run at any time, any number of times, on several machines at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from judgeweb.judging.types import UnjudgedReason
from verdicts_app.models import (
    Job,
    JobState,
    Judgement,
    JudgementState,
    LedgerEntry,
    LedgerState,
)
from verdicts_app.work import states, sums
from verdicts_app.work.claim import jobs_with_work
from verdicts_app.work.judge_config import is_configured
from verdicts_app.work.request import chunks

MOST_LOSSES = 5
"""A judgement that lost this many workers is given up: it may be what kills them."""
BATCH = 200


@dataclass(frozen=True)
class Swept:
    """`jobs_with_work` is what workers should be woken for."""

    given_back: int
    given_up: int
    lost_requests: int
    resumed: int
    finished: int
    jobs_with_work: int


def sweep() -> Swept:
    given_back, given_up = _expired_leases()
    return Swept(
        given_back=given_back,
        given_up=given_up,
        lost_requests=_lost_requests(),
        resumed=_resume_waiting(),
        finished=states.finish(_unfinished()),
        jobs_with_work=len(jobs_with_work()),
    )


def _expired_leases() -> tuple[int, int]:
    """Judgements whose worker does not renew its lease: planned again, given up, or cancelled."""
    expired = Judgement.objects.filter(
        state=JudgementState.CLAIMED, claimed_until__lt=timezone.now()
    )
    given_back = given_up = 0
    for ids in chunks(list(expired.values_list("pk", flat=True)), BATCH):
        with transaction.atomic():
            ours = expired.filter(pk__in=ids)
            _cancel(ours.filter(job__in=Job.objects.filter(state=JobState.CANCELLED)))
            given_up += _give_up(ours.filter(lost__gte=MOST_LOSSES - 1))
            given_back += ours.update(
                state=JudgementState.PLANNED, claimed_until=None, lost=F("lost") + 1
            )
    _cancel(Judgement.objects.filter(state=JudgementState.PLANNED, job__state=JobState.CANCELLED))
    return given_back, given_up


def _give_up(judgements: QuerySet[Judgement]) -> int:
    # Judgements are locked before their subjects, as where verdicts are recorded.
    answers = judgements.select_for_update().values_list("response_id", flat=True)
    with sums.kept_in_step(responses=list(answers)):
        return judgements.update(
            state=JudgementState.UNJUDGED,
            unjudged_reason=UnjudgedReason.LOST_WORKER.value,
            unjudged_detail=f"Its worker died {MOST_LOSSES} times before it was judged.",
            lost=F("lost") + 1,
            claimed_until=None,
            finished_at=timezone.now(),
        )


def _cancel(judgements: QuerySet[Judgement]) -> None:
    """A worker gave these back, or never will, at the moment their job was cancelled."""
    judgements.update(
        state=JudgementState.CANCELLED, claimed_until=None, finished_at=timezone.now()
    )


def _lost_requests() -> int:
    """Open requests that nobody waits for any more: they may have reached the provider."""
    holder = Judgement.objects.filter(
        pk=OuterRef("judgement"),
        state=JudgementState.CLAIMED,
        attempt=OuterRef("attempt"),
    )
    # A probe is written down under a judgement that nobody holds yet.
    old = timezone.now() - timedelta(seconds=settings.JUDGE_TIMEOUT_S + settings.JUDGE_LEASE_S)
    unheld = LedgerEntry.objects.filter(state=LedgerState.OPEN).exclude(Exists(holder))
    lost = unheld.filter(~Q(attempt=0) | Q(opened_at__lt=old))
    return LedgerEntry.objects.filter(pk__in=list(lost.values_list("pk", flat=True))).update(
        state=LedgerState.LOST, closed_at=timezone.now()
    )


def _resume_waiting() -> int:
    """Jobs whose time has come, once there is a judge; each is probed before it goes on."""
    if not is_configured():
        return 0
    due = Job.objects.filter(state=JobState.WAITING, retry_at__lte=timezone.now())
    return sum(
        states.go_on(job_id, text="The judge is tried again")
        for job_id in due.values_list("pk", flat=True)
    )


def _unfinished() -> list[UUID]:
    return list(Job.objects.filter(finished_at=None).values_list("pk", flat=True))
