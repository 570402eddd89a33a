"""Judging asked for a few responses whose outcome somebody waits for: planned, or known already."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser

from judgeweb.judging.errors import CaseRefused
from verdicts_app.models import OPEN_STATES, Job, JobState, Judgement, Verdict
from verdicts_app.work.plan import plan_job
from verdicts_app.work.request import JudgeRequest
from verdicts_app.work.selection import all_work

STANDING = (JobState.PAUSED, JobState.PARKED, JobState.WAITING)
"""A job in one of these goes on only when somebody or something outside of it acts."""


@dataclass(frozen=True)
class Asked:
    """`job` does the work; None where all was judged before, under the very same pins.
    `is_own`: the job was made for this request and holds nothing else."""

    job: Job | None
    judgement_ids: tuple[int, ...]
    is_own: bool = False

    def judgements(self) -> list[Judgement]:
        found = Judgement.objects.filter(pk__in=self.judgement_ids).select_related("epoch")
        return list(found.order_by("id"))


def ask(*, request: JudgeRequest, user: AbstractBaseUser | None, actor: str) -> Asked:
    """Raise CaseRefused where a response cannot be judged as asked, naming the field."""
    work = all_work(request)
    if work.refused:
        refused = work.refused[0]
        raise CaseRefused(refused.field, refused.message, refused.value)
    identities = [unit.identity for unit in work.units]
    judged = {} if request.rejudge else _judged(identities)
    if identities and len(judged) == len(identities):
        return Asked(None, tuple(judged.values()))
    planned = plan_job(request=request, user=user, actor=actor)
    newest = _newest(identities)
    found = [judged.get(i) or newest.get(i) for i in identities]
    ids = tuple(pk for pk in found if pk is not None)
    if planned.planned:
        return Asked(planned.job, ids, is_own=True)
    return Asked(_job_of(ids) or planned.job, ids)


def _judged(identities: Sequence[str]) -> dict[str, int]:
    """The judgements behind live verdicts, by identity."""
    live = Verdict.objects.filter(
        identity__in=identities, superseded_at=None, judgement__isnull=False
    )
    return dict(live.values_list("identity", "judgement_id"))


def _newest(identities: Sequence[str]) -> dict[str, int]:
    found = Judgement.objects.filter(identity__in=identities).order_by("id")
    return dict(found.values_list("identity", "pk"))


def _job_of(judgement_ids: Sequence[int]) -> Job | None:
    """Another job was faster with all of them: its work is waited for."""
    return Job.objects.filter(judgements__in=judgement_ids, finished_at=None).first()


def is_settled(asked: Asked) -> bool:
    """True where nothing moves any more: all finished, or the job stands and waits."""
    open_ones = Judgement.objects.filter(pk__in=asked.judgement_ids, state__in=OPEN_STATES)
    states = set(open_ones.values_list("job__state", flat=True))
    return not states - set(STANDING)


def wait(asked: Asked, *, seconds: float, pause_s: float = 0.1) -> bool:
    """Look at the database until it is settled; False where time ran out."""
    until = time.monotonic() + seconds
    while not is_settled(asked):
        if time.monotonic() >= until:
            return False
        time.sleep(pause_s)
    return True
