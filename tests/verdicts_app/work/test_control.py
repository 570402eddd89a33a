"""Pause, resume, cancel, retry, budget: conditional, said in words, audited."""

import json
from decimal import Decimal
from typing import Any

import pytest

from judgeweb.access.models import AuditEntry
from judgeweb.judging.errors import CaseRefused
from tests.fixtures.standin import StandInControl
from tests.judging.world import solo_reply
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import Job, JobEvent, JobState, Judgement, JudgementState, Verdict
from verdicts_app.work import control
from verdicts_app.work.claim import claim_items
from verdicts_app.work.drain import drain, drain_job

pytestmark = pytest.mark.django_db

ACTOR = "operator"


def state(planned: Any) -> str:
    return Job.objects.get(pk=planned.job.pk).state


def test_a_paused_job_is_left_alone_until_it_is_resumed(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(3)
    planned = plan()

    assert control.pause_job(job_id=planned.job.pk, actor=ACTOR)
    assert not control.pause_job(job_id=planned.job.pk, actor=ACTOR)
    assert drain() is False
    assert judge_at_standin.stats()["requests"] == 0

    assert control.resume_job(job_id=planned.job.pk, actor=ACTOR)
    assert drain_job(planned.job.pk).state == JobState.DONE
    assert not control.resume_job(job_id=planned.job.pk, actor=ACTOR)
    actions = list(AuditEntry.objects.order_by("id").values_list("action", "actor"))
    assert actions[-2:] == [("pause job", ACTOR), ("resume job", ACTOR)]
    assert JobEvent.objects.filter(text="Pause job, by operator").exists()


def test_pause_takes_effect_while_a_job_is_judged(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, monkeypatch: Any
) -> None:
    judge_at_standin.settings(latency_ms=100)
    answers(60)
    planned = plan()
    from verdicts_app.work import orders

    real = orders.take
    calls: list[int] = []

    def take_then_pause(wanted: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            control.pause_job(job_id=planned.job.pk, actor=ACTOR)
        return real(wanted)

    monkeypatch.setattr(orders, "take", take_then_pause)

    drain()

    judged = Judgement.objects.filter(state=JudgementState.JUDGED).count()
    assert judged == Verdict.objects.count() == judge_at_standin.stats()["requests"] < 60
    assert not Judgement.objects.filter(state=JudgementState.CLAIMED).exists()
    assert state(planned) == JobState.PAUSED


def test_cancel_keeps_what_is_judged_and_what_is_in_hand(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(4)
    planned = plan()
    claim_items(job_id=planned.job.pk, limit=1)

    assert control.cancel_job(job_id=planned.job.pk, actor=ACTOR)

    states = list(Judgement.objects.order_by("id").values_list("state", flat=True))
    assert states == ["claimed", "cancelled", "cancelled", "cancelled"]
    job = Job.objects.get()
    assert (job.state, job.finished_at is not None) == (JobState.CANCELLED, True)
    assert not control.cancel_job(job_id=planned.job.pk, actor=ACTOR)
    assert not control.resume_job(job_id=planned.job.pk, actor=ACTOR)


def test_retry_plans_the_unjudged_again_and_nothing_else(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(3)
    refusal = {"content": [], "stop_reason": "refusal"}
    judge_at_standin.replies(refusal, {"text": json.dumps(solo_reply(8, 7, 9, 8))}, refusal)
    planned = plan()
    drain_job(planned.job.pk)

    assert control.retry_unjudged(job_id=planned.job.pk, actor=ACTOR) == 2
    assert control.retry_unjudged(job_id=planned.job.pk, actor=ACTOR) == 0

    assert state(planned) == JobState.RUNNING
    assert drain_job(planned.job.pk).state == JobState.DONE
    assert Verdict.objects.count() == 3


def test_retry_of_a_cancelled_job_does_nothing(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)
    planned = plan()
    control.cancel_job(job_id=planned.job.pk, actor=ACTOR)

    assert control.retry_unjudged(job_id=planned.job.pk, actor=ACTOR) == 0


def test_a_parked_job_goes_on_under_a_larger_budget(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(2)
    planned = plan(budget_usd=Decimal("0.001"))
    assert drain_job(planned.job.pk).state == JobState.PARKED
    assert judge_at_standin.stats()["requests"] == 0

    assert control.change_budget(job_id=planned.job.pk, budget_usd=Decimal("1.5"), actor=ACTOR)

    assert drain_job(planned.job.pk).state == JobState.DONE
    job = Job.objects.get()
    assert job.budget_nano_usd == 1_500_000_000
    assert not control.change_budget(job_id=job.pk, budget_usd=Decimal(9), actor=ACTOR)


@pytest.mark.parametrize("budget", [Decimal(0), Decimal(-1), Decimal("NaN")])
def test_a_budget_that_is_none_is_refused(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, budget: Decimal
) -> None:
    answers(1)

    with pytest.raises(CaseRefused) as refused:
        control.change_budget(job_id=plan().job.pk, budget_usd=budget, actor=ACTOR)

    assert refused.value.field == "budget_usd"
