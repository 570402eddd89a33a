"""Draining: claim what is planned, judge it with many requests in flight, record the outcomes.

One asyncio loop, in a thread of its own, asks the judge; the calling thread owns the database.
Any number of drains may run at once, on one machine or many.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from uuid import UUID

from django.conf import settings

from verdicts_app.models import Job, JobState
from verdicts_app.work import judge_config, states
from verdicts_app.work.claim import jobs_with_work
from verdicts_app.work.loop import DrainLoop
from verdicts_app.work.sweep import sweep
from verdicts_app.work.unasked import judge_unasked
from verdicts_app.work.writer import run_beside

Stop = Callable[[], bool]
PAUSE_S = 0.1
"""Between two looks at what another worker holds."""


def never() -> bool:
    return False


def drain(*, until_s: float | None = None, should_stop: Stop = never) -> bool:
    """Work on all running jobs, at most `until_s` seconds (None: until nothing is left).
    Return True where work is left. Cheap where there is none."""
    return _drain(None, until_s, should_stop)


def drain_job(job_id: UUID, *, should_stop: Stop = never) -> Job:
    """Work on one job in this process until it is done or waits for somebody. What another worker
    has claimed of it is waited for, and taken back where that worker dies."""
    swept_at = time.monotonic()
    while (_drain(job_id, None, should_stop) or _goes_on(job_id)) and not should_stop():
        time.sleep(PAUSE_S)
        if time.monotonic() - swept_at > settings.JUDGE_SWEEP_S:
            sweep()
            swept_at = time.monotonic()
    return Job.objects.get(pk=job_id)


def _goes_on(job_id: UUID) -> bool:
    """Another worker may have finished it, or sent it to wait for a judge that it lacks and this
    process has."""
    job = Job.objects.get(pk=job_id)
    if job.state == JobState.WAITING and job.state_detail == judge_config.NOT_CONFIGURED:
        return judge_config.is_configured() and states.go_on(job_id, text="A judge is configured")
    return job.state == JobState.RUNNING


def _drain(only: UUID | None, until_s: float | None, should_stop: Stop) -> bool:
    jobs = jobs_with_work(only)
    if not jobs:
        states.finish([only] if only else [])
        return False
    if not judge_config.is_configured():
        return _without_a_judge(jobs, only, until_s, should_stop)
    loop = DrainLoop(only=only, until_s=until_s, should_stop=should_stop)
    run_beside(loop.writer, loop.main(), loop.abort)
    return bool(jobs_with_work(only))


def _without_a_judge(
    jobs: Sequence[UUID], only: UUID | None, until_s: float | None, should_stop: Stop
) -> bool:
    """Judge what needs nobody; what is left then waits for a judge."""
    ends_at = time.monotonic() + (until_s or float("inf"))

    def goes_on() -> bool:
        return time.monotonic() < ends_at and not should_stop()

    for job_id in jobs:
        judge_unasked(job_id, goes_on=goes_on)
    states.finish(jobs)
    if not goes_on():
        return bool(jobs_with_work(only))
    for job_id in jobs_with_work(only):
        states.wait_for_configuration(job_id)
    return False
