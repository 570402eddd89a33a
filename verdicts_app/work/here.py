"""Work done in this very process, for commands: planned, judged, and nothing left behind."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings

from verdicts_app.models import OPEN_STATES, Job, Judgement
from verdicts_app.work.asked import STANDING
from verdicts_app.work.control import cancel_job
from verdicts_app.work.drain import drain_job
from verdicts_app.work.judge_config import is_configured
from verdicts_app.work.plan import plan_selected
from verdicts_app.work.price import Price, price_of
from verdicts_app.work.request import JudgeRequest, Refusal, chunks
from verdicts_app.work.reuse import take_from_earlier
from verdicts_app.work.selection import Selection, all_work, leave_out_what_is_done

PAUSE_S = 0.2


class NoJudge(Exception):
    """No judge is configured, and somebody has to be asked."""


@dataclass(frozen=True)
class WorkedHere:
    """`standing` says why not all could be judged now, "" where everything was tried.
    `base_digests` are those of all that was asked for, judged now or before."""

    base_digests: frozenset[str]
    refused: tuple[Refusal, ...]
    standing: str


def judge_here(*, request: JudgeRequest, actor: str, before: Callable[[Price], None]) -> WorkedHere:
    """`before` hears the price before anything is sent. What cannot be judged now is cancelled:
    nobody waits for it, so no worker shall pay for it later. Raise CaseRefused, or NoJudge, where
    nothing is planned."""
    selection = all_work(request)
    identities = [unit.identity for unit in selection.units]
    base_digests = frozenset(unit.cell.base_digest for unit in selection.units)
    leave_out_what_is_done(selection, rejudge=request.rejudge)
    take_from_earlier(selection)
    standing = ""
    if selection.needs_a_judge and not is_configured():
        raise NoJudge
    if selection.units:
        before(price_of(selection))
        standing = _work(selection, request, actor)
    if selection.already_planned and not standing:
        standing = _wait_for_others(identities)
    return WorkedHere(base_digests, tuple(selection.refused), standing)


def _work(selection: Selection, request: JudgeRequest, actor: str) -> str:
    planned = plan_selected(selection, request=request, user=None, actor=actor)
    job: Job = planned.job
    try:
        if planned.planned:
            job = drain_job(job.pk)
    finally:
        cancel_job(job_id=job.pk, actor=actor)
    return "" if job.finished_at else job.state_detail or f"the job is {job.state}"


def _wait_for_others(identities: list[str]) -> str:
    """Another job has some of them in hand."""
    until = time.monotonic() + settings.JUDGE_TIMEOUT_S
    while states := _states_of_jobs(identities):
        if states <= set(STANDING):
            return "another job that holds some of them stands and waits"
        if time.monotonic() >= until:
            return "another job is still at work on some of them"
        time.sleep(PAUSE_S)
    return ""


def _states_of_jobs(identities: list[str]) -> set[str]:
    """Of those jobs that have one of these judgements open."""
    states: set[str] = set()
    for chunk in chunks(identities):
        found = Judgement.objects.filter(identity__in=chunk, state__in=OPEN_STATES)
        states.update(found.values_list("job__state", flat=True))
    return states
