"""The queue's side: thin, idempotent, and never the truth."""

import os
import subprocess
import sys
from typing import Any

import pytest
from kombu.exceptions import OperationalError

from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import Answers, Plan, answers, judge_at_standin, plan
from verdicts_app import tasks
from verdicts_app.models import JobState, LedgerEntry, Verdict

__all__ = ["answers", "judge_at_standin", "plan"]

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def woken(monkeypatch: Any) -> list[Any]:
    """Messages that would have been sent."""
    sent: list[Any] = []
    monkeypatch.setattr(tasks.drain, "apply_async", lambda **options: sent.append(options))
    return sent


def test_tasks_called_twice_judge_once(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(3)
    planned = plan()

    for _ in range(2):
        tasks.sweep()
        tasks.drain()

    planned.job.refresh_from_db()
    assert planned.job.state == JobState.DONE
    assert Verdict.objects.count() == LedgerEntry.objects.count() == 3


def test_the_sweeper_wakes_a_worker_while_there_is_work(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, woken: list[Any]
) -> None:
    tasks.sweep()
    assert woken == []

    answers(1)
    plan()
    tasks.sweep()
    assert len(woken) == 1


def test_a_drain_that_ran_out_of_time_wakes_the_next(
    judge_at_standin: StandInControl,
    answers: Answers,
    plan: Plan,
    woken: list[Any],
    settings: Any,
) -> None:
    settings.JUDGE_DRAIN_S = 0.3
    judge_at_standin.settings(latency_ms=200)
    answers(60)
    plan()

    tasks.drain()

    assert len(woken) == 1


def test_case_74_without_a_broker_the_caller_is_told_and_the_work_stays(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, monkeypatch: Any
) -> None:
    answers(1)
    plan()

    def refuse(**options: Any) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.drain, "apply_async", refuse)

    assert tasks.wake_workers() is False
    tasks.drain()
    assert Verdict.objects.count() == 1


def test_a_wake_is_a_message_that_expires(woken: list[Any]) -> None:
    assert tasks.wake_workers() is True
    assert woken == [{"retry": False}]
    assert tasks.drain.expires == tasks.WAKE_EXPIRES_S


def test_a_worker_starts_without_what_takes_seconds_to_import() -> None:
    program = (
        "import sys, django; django.setup(); import verdicts_app.tasks;"
        "print({'anthropic', 'scipy.stats', 'plotly', 'pyarrow', 'pandas'} & set(sys.modules))"
    )

    told = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "judgeweb.settings"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert told.stdout.strip() == "set()"
