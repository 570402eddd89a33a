"""What goes wrong at the judge: work waits, nothing is scored, nothing is paid twice.

Numbers of cases are those of the bug reports."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import (
    Job,
    JobState,
    Judgement,
    JudgementState,
    LedgerEntry,
    LedgerState,
    Verdict,
)
from verdicts_app.work.claim import claim_named
from verdicts_app.work.drain import drain, drain_job
from verdicts_app.work.sweep import sweep

pytestmark = pytest.mark.django_db


def states() -> set[str]:
    return set(Judgement.objects.values_list("state", flat=True))


def test_without_a_judge_work_waits_and_goes_on_when_there_is_one(
    no_judge: None, answers: Answers, plan: Plan, standin: StandInControl, settings: Any
) -> None:
    answers(2)
    planned = plan()

    job = Job.objects.get(pk=planned.job.pk)
    assert job.state == JobState.WAITING
    assert "ANTHROPIC_API_KEY" in job.state_detail
    assert drain() is False
    assert sweep().resumed == 0

    settings.ANTHROPIC_BASE_URL = standin.url
    assert sweep().resumed == 1
    assert drain_job(planned.job.pk).state == JobState.DONE
    assert Verdict.objects.count() == 2


def test_a_judge_taken_away_from_a_running_job_lets_it_wait(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, settings: Any
) -> None:
    answers(1)
    planned = plan()
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""

    assert drain() is False

    assert Job.objects.get(pk=planned.job.pk).state == JobState.WAITING
    assert states() == {JudgementState.PLANNED}


def test_without_a_judge_empty_answers_are_judged_and_the_rest_waits(
    no_judge: None, answers: Answers, plan: Plan, standin: StandInControl, settings: Any
) -> None:
    blank = [answers(1, text=text)[0] for text in ("", " \n", "\u200b" * 150)]
    full = [answers(1, text=text)[0] for text in (" " * 150 + "An answer.", "Another.")]
    planned = plan()

    job = drain_job(planned.job.pk)

    assert job.state == JobState.WAITING
    assert "ANTHROPIC_API_KEY" in job.state_detail
    verdicts = Verdict.objects.values_list("response_id", "total_nano", "flags")
    assert set(verdicts) == {(response.pk, 0, "empty_answer") for response in blank}
    waiting = Judgement.objects.filter(state=JudgementState.PLANNED)
    assert set(waiting.values_list("response_id", flat=True)) == {r.pk for r in full}
    assert not LedgerEntry.objects.exists()

    settings.ANTHROPIC_BASE_URL = standin.url
    assert sweep().resumed == 1
    assert drain_job(planned.job.pk).state == JobState.DONE
    assert Verdict.objects.count() == 5


def test_without_a_judge_a_job_of_empty_answers_is_done(
    no_judge: None, answers: Answers, plan: Plan
) -> None:
    answers(3, text="")
    planned = plan()
    assert planned.job.state == JobState.RUNNING

    assert drain() is False

    assert Job.objects.get(pk=planned.job.pk).state == JobState.DONE
    assert list(Verdict.objects.values_list("total_exact", flat=True)) == ["0"] * 3
    assert set(Judgement.objects.values_list("state", "attempt")) == {("judged", 1)}


def test_claim_by_name_takes_what_is_planned_in_a_running_job(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(3, text="")
    planned = plan()
    ids = list(planned.job.judgements.order_by("pk").values_list("pk", flat=True))

    assert [item.id for item in claim_named(ids[:2])] == ids[:2]
    assert [item.id for item in claim_named(ids)] == ids[2:]
    Judgement.objects.update(state=JudgementState.PLANNED, claimed_until=None)
    Job.objects.update(state=JobState.PAUSED)
    assert claim_named(ids) == []


def test_case_70_a_misspelt_model_costs_one_probe_and_is_named(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(20)
    judge_at_standin.faults({"status": 404, "message": "model: claude-sonet"}, times=50)
    planned = plan(probe=True, model="claude-sonet")

    job = drain_job(planned.job.pk)

    assert job.state == JobState.WAITING
    assert "claude-sonet" in job.state_detail
    assert judge_at_standin.stats()["requests"] == 1
    assert states() == {JudgementState.PLANNED}
    # Only a person can correct a name: no further probe is made by itself.
    assert sweep().resumed == 0
    assert drain() is False
    assert judge_at_standin.stats()["requests"] == 1


def test_a_probe_is_made_once_and_is_in_the_ledger(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(3)
    planned = plan(probe=True)

    assert drain_job(planned.job.pk).state == JobState.DONE

    assert judge_at_standin.stats()["requests"] == 4
    [probe] = LedgerEntry.objects.filter(prompt="probe")
    assert probe.state == LedgerState.ANSWERED
    assert (probe.cost_nano_usd or 0) > 0


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_judge_fault_lets_the_job_wait_and_uses_no_item_up(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, status: int
) -> None:
    answers(20)
    judge_at_standin.faults({"status": status, "message": "no"}, times=30)
    planned = plan()

    job = drain_job(planned.job.pk)

    assert job.state == JobState.WAITING
    assert str(status) in job.state_detail
    assert job.retry_at is not None
    assert job.retry_at > timezone.now() + timedelta(minutes=10)
    assert states() == {JudgementState.PLANNED}
    assert judge_at_standin.stats()["requests"] <= 2 * 8
    assert not LedgerEntry.objects.filter(state=LedgerState.OPEN).exists()


def test_a_waiting_job_is_probed_again_at_its_time_and_goes_on(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(2)
    judge_at_standin.faults({"status": 402, "message": "no credit"})
    planned = plan(probe=True)
    drain_job(planned.job.pk)
    assert sweep().resumed == 0

    Job.objects.update(retry_at=timezone.now())

    assert sweep().resumed == 1
    assert drain_job(planned.job.pk).state == JobState.DONE
    # The failed probe, the second probe, two items.
    assert judge_at_standin.stats()["requests"] == 4


def test_the_same_refusal_of_the_first_three_items_is_the_judges_fault(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(20)
    judge_at_standin.faults({"status": 400, "message": "no such effort"}, times=100)
    planned = plan()

    job = drain_job(planned.job.pk)

    assert job.state == JobState.WAITING
    assert "no such effort" in job.state_detail
    assert states() == {JudgementState.PLANNED}


def test_a_refusal_of_one_item_is_its_own(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(3)
    judge_at_standin.faults({"status": 400, "message": "odd"})

    job = drain_job(plan().job.pk)

    assert job.state == JobState.DONE
    [unjudged] = Judgement.objects.filter(state=JudgementState.UNJUDGED)
    assert unjudged.unjudged_reason == "bad_request"
    assert Verdict.objects.count() == 2
    # One request, no retry.
    assert judge_at_standin.stats()["requests"] == 3


def test_refusals_of_a_job_of_two_are_their_own(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(2)
    judge_at_standin.faults({"status": 400, "message": "odd"}, times=2)

    assert drain_job(plan().job.pk).state == JobState.DONE

    assert states() == {JudgementState.UNJUDGED}


def test_case_65_too_large_is_said_without_a_retry(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)
    judge_at_standin.faults({"status": 413, "message": "too large"})

    drain_job(plan().job.pk)

    assert Judgement.objects.get().unjudged_reason == "too_large"
    assert judge_at_standin.stats()["requests"] == 1


@pytest.mark.parametrize("status", [429, 529])
def test_a_storm_loses_nothing(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, status: int
) -> None:
    answers(40)
    judge_at_standin.settings(fault_share=0.2, fault_status=status, latency_ms=10)
    planned = plan()

    job = drain_job(planned.job.pk)

    assert job.state == JobState.DONE
    assert Verdict.objects.count() == 40
    stats = judge_at_standin.stats()
    assert stats["statuses"][str(status)] > 0
    assert LedgerEntry.objects.count() == stats["requests"]
    failed = LedgerEntry.objects.filter(state=LedgerState.FAILED)
    assert failed.count() == stats["statuses"][str(status)]
    assert set(failed.values_list("cost_nano_usd", flat=True)) == {0}


def test_transient_faults_use_up_five_requests_then_it_is_unjudged(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, monkeypatch: Any
) -> None:
    monkeypatch.setattr("judgeweb.judging.providers.waits.BASE_S", 0.01)
    answers(1)
    judge_at_standin.faults({"status": 529, "message": "overloaded"}, times=5)

    drain_job(plan().job.pk)

    assert Judgement.objects.get().unjudged_reason == "provider_unavailable"
    assert judge_at_standin.stats()["requests"] == 5


def test_an_endpoint_that_is_down_lets_the_job_wait(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, settings: Any
) -> None:
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"
    answers(20)
    started = time.monotonic()

    job = drain_job(plan().job.pk)

    assert job.state == JobState.WAITING
    assert "down" in job.state_detail
    assert job.retry_at is not None
    assert states() == {JudgementState.PLANNED}
    assert time.monotonic() - started < 30


def test_a_bug_in_one_item_does_not_stop_the_others(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, monkeypatch: Any
) -> None:
    [first, *_] = answers(3)
    from verdicts_app.work import outcomes

    real = outcomes.case_of

    def broken(item: Any) -> Any:
        if item.response_id == first.pk:
            raise ZeroDivisionError("a bug")
        return real(item)

    monkeypatch.setattr(outcomes, "case_of", broken)

    assert drain_job(plan().job.pk).state == JobState.DONE

    unjudged = Judgement.objects.get(response=first)
    assert unjudged.unjudged_reason == "internal_error"
    assert "a bug" in unjudged.unjudged_detail
    assert Verdict.objects.count() == 2


def test_an_outcome_that_cannot_be_stored_is_said_and_the_others_are_stored(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, monkeypatch: Any
) -> None:
    [first, *_] = answers(3)
    from verdicts_app.work.verdict_rows import NewVerdict

    real = NewVerdict.values

    def broken(self: Any, judged_at: Any) -> Any:
        values = real(self, judged_at)
        return (*values[:-1], None) if self.item.response_id == first.pk else values

    monkeypatch.setattr(NewVerdict, "values", broken)

    assert drain_job(plan().job.pk).state == JobState.DONE

    assert Judgement.objects.get(response=first).unjudged_reason == "internal_error"
    assert Verdict.objects.count() == 2
