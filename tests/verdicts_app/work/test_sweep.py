"""The sweeper: idempotent, and nothing waits for ever (cases 74, 76)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import Job, JobState, Judgement, JudgementState
from verdicts_app.work.claim import claim_items
from verdicts_app.work.sweep import sweep

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("judge_at_standin")]


def test_work_without_a_wake_is_named_until_it_is_done(answers: Answers, plan: Plan) -> None:
    answers(1)
    plan()

    assert sweep().jobs_with_work == 1
    assert sweep().jobs_with_work == 1


def test_a_live_lease_is_left_alone(answers: Answers, plan: Plan) -> None:
    answers(1)
    claim_items(job_id=plan().job.pk, limit=1)

    swept = sweep()

    assert (swept.given_back, swept.jobs_with_work) == (0, 0)
    assert Judgement.objects.get().state == JudgementState.CLAIMED


def test_sweeping_twice_counts_a_loss_once(answers: Answers, plan: Plan) -> None:
    answers(1)
    claim_items(job_id=plan().job.pk, limit=1)
    Judgement.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    assert [sweep().given_back, sweep().given_back] == [1, 0]
    assert Judgement.objects.get().lost == 1


def test_a_job_with_nothing_left_is_marked_done_once(answers: Answers, plan: Plan) -> None:
    answers(1)
    plan()
    Judgement.objects.update(state=JudgementState.JUDGED, finished_at=timezone.now())

    assert [sweep().finished, sweep().finished] == [1, 0]
    job = Job.objects.get()
    assert job.state == JobState.DONE
    assert job.finished_at is not None


def test_what_was_planned_as_its_job_was_cancelled_is_cancelled(
    answers: Answers, plan: Plan
) -> None:
    answers(1)
    plan()
    Job.objects.update(state=JobState.CANCELLED, finished_at=timezone.now())

    sweep()

    assert Judgement.objects.get().state == JudgementState.CANCELLED
