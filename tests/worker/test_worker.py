"""Real workers, killed, stopped and left without a broker. Case numbers: the bug reports'."""

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import Answers, Plan
from tests.worker.conftest import IN_FLIGHT, ROOT, Start, kill, wait_until
from verdicts_app.models import (
    Job,
    JobState,
    Judgement,
    JudgementState,
    LedgerEntry,
    LedgerState,
    Verdict,
)

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]

ITEMS = 200


def verdicts() -> int:
    return Verdict.objects.filter(superseded_at=None).count()


def is_done(planned: Any) -> bool:
    return Job.objects.get(pk=planned.job.pk).state == JobState.DONE


@pytest.mark.parametrize(("mode", "items", "orders"), [(None, ITEMS, 1), ("compare", 100, 2)])
def test_killed_with_200_in_flight_each_ends_with_exactly_one_live_verdict(
    start_worker: Start,
    standin: StandInControl,
    answers: Answers,
    plan: Plan,
    mode: str | None,
    items: int,
    orders: int,
) -> None:
    standin.settings(latency_ms=200)
    answers(items)
    if mode == "compare":
        answers(items, persona="control:reviewer")
    planned = plan(mode=mode)
    worker = start_worker()
    wait_until(lambda: verdicts() >= 20, 60, "the first verdicts")

    kill(worker)

    in_flight = Judgement.objects.filter(state=JudgementState.CLAIMED).count()
    assert verdicts() < items, "it was too late to kill it"
    assert in_flight > 0
    open_at_kill = LedgerEntry.objects.filter(state=LedgerState.OPEN).count()
    start_worker()
    wait_until(lambda: is_done(planned), 120, "the job")

    assert verdicts() == items
    identities = Verdict.objects.filter(superseded_at=None).values("identity").distinct()
    assert identities.count() == items
    assert not Judgement.objects.exclude(state=JudgementState.JUDGED).exists()
    requests = standin.stats()["requests"]
    extra = requests - orders * items
    # A pair whose first order was answered has it asked again.
    assert 0 <= extra <= orders * IN_FLIGHT
    lost = LedgerEntry.objects.filter(state=LedgerState.LOST).count()
    assert lost == open_at_kill
    assert orders > 1 or extra <= lost
    assert LedgerEntry.objects.count() >= requests
    assert not LedgerEntry.objects.filter(state=LedgerState.OPEN).exists()


def test_told_to_stop_a_worker_hands_over_cleanly(
    start_worker: Start, standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    standin.settings(latency_ms=1000)
    answers(ITEMS)
    plan()
    worker = start_worker()
    wait_until(lambda: verdicts() >= 10, 60, "the first verdicts")

    os.killpg(worker.pid, signal.SIGTERM)

    assert worker.wait(30) == 0
    assert not Judgement.objects.filter(state=JudgementState.CLAIMED).exists()
    assert not LedgerEntry.objects.exclude(state=LedgerState.ANSWERED).exists()
    assert standin.stats()["requests"] == verdicts() < ITEMS


def test_two_workers_never_judge_the_same_item(
    start_worker: Start, standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    standin.settings(latency_ms=100)
    answers(ITEMS)
    planned = plan()
    start_worker(JUDGE_IN_FLIGHT="8")
    start_worker(JUDGE_IN_FLIGHT="8")

    wait_until(lambda: is_done(planned), 120, "the job")

    assert verdicts() == ITEMS
    assert standin.stats()["requests"] == LedgerEntry.objects.count() == ITEMS


def test_case_74_work_whose_message_was_lost_is_found_by_the_sweeper(
    start_worker: Start,
    worker_settings: dict[str, str],
    standin: StandInControl,
    answers: Answers,
    plan: Plan,
) -> None:
    start_worker()
    wait_until(lambda: True, 1, "")
    answers(3)
    # Nobody is told of it.
    planned = plan()

    wait_until(lambda: is_done(planned), 60, "the job")

    assert verdicts() == 3
    doctor = [sys.executable, "manage.py", "doctor", "--no-judge"]
    said = subprocess.run(
        doctor, cwd=ROOT, env=worker_settings, capture_output=True, text=True, check=False
    ).stdout
    assert "✓ Worker: 1 answered" in said
    assert "✓ Sweeper: swept" in said
