"""Whole jobs against the stand-in, over real HTTP: golden numbers, unjudged, ledger."""

import json
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.utils import timezone

from judgeweb.judging.types import Verdict as Outcome
from tests.fixtures.standin import StandInControl
from tests.judging.world import (
    behaviours,
    behaviours_reply,
    case_text,
    checklist,
    checklist_reply,
    solo_reply,
)
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
from verdicts_app.work import states
from verdicts_app.work.claim import claim_items
from verdicts_app.work.drain import drain, drain_job
from verdicts_app.work.ledger import reply_in, sent_messages
from verdicts_app.work.recompute import Recomputed, recompute
from verdicts_app.work.record import Record, Recorder

pytestmark = pytest.mark.django_db

NOVEL = [{"description": text, "valid": True, "reasoning": "r"} for text in ("mail", "currency")]
FALSE = [{"claim": "The webhook is unsigned", "why_invalid": "line 88 verifies it"}]
FOUND = {"C1", "C2", "C3", "C4", "C5", "H1", "H2", "H3", "H4", "M1", "M2", "M3", "L1"}


def said(payload: Any) -> dict[str, str]:
    return {"text": json.dumps(payload)}


def judged(planned: Any) -> Verdict:
    job = drain_job(planned.job.pk)
    assert job.state == JobState.DONE, job.state_detail
    return Verdict.objects.get()


def test_checklist_golden(judge_at_standin: StandInControl, answers: Answers, plan: Plan) -> None:
    about = checklist()
    answers(1, about=about.scenario)
    reply = checklist_reply(about, FOUND, novel_findings=NOVEL, false_positives=FALSE)
    judge_at_standin.replies(said(reply))

    verdict = judged(plan())

    # 75.698085 as the exact fraction 30 x 132/194 + 10 x 13/14 + 6 + 18.75 + 21.25
    assert verdict.mode == "checklist"
    assert verdict.total_nano == 75_698_085_420
    assert verdict.total_exact == "51399/679"
    assert verdict.marks.count() == 4
    assert verdict.findings.filter(kind="baseline", found=True).count() == 13
    assert list(recompute(Recomputed())) == []


def test_behaviours_golden(judge_at_standin: StandInControl, answers: Answers, plan: Plan) -> None:
    about = behaviours()
    listed = about.scenario
    shown = {item.id for item in listed.baseline_criteria + listed.bonus_criteria}
    answers(1, about=about.scenario)
    judge_at_standin.replies(said(behaviours_reply(about, shown)))

    verdict = judged(plan())

    assert (verdict.mode, verdict.total_exact) == ("behaviours", "86")
    assert list(recompute(Recomputed())) == []


def test_solo_golden(judge_at_standin: StandInControl, answers: Answers, plan: Plan) -> None:
    answers(1)
    judge_at_standin.replies(said(solo_reply(8, 7, 9, 8)))

    verdict = judged(plan())

    assert (verdict.mode, verdict.total_exact, verdict.total_nano) == ("solo", "80", 80 * 10**9)
    assert [mark.value_exact for mark in verdict.marks.all()] == ["8", "7", "9", "8"]
    assert list(recompute(Recomputed())) == []


def test_empty_answer_is_zero_without_a_request(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, text=" \n")

    verdict = judged(plan(probe=True))

    assert (verdict.total_nano, verdict.flags) == (0, "empty_answer")
    assert verdict.cost_nano_usd == 0
    assert judge_at_standin.stats()["requests"] == 0


def test_every_request_is_in_the_ledger_with_what_was_sent_and_said(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, text="The lock is taken twice.")
    judge_at_standin.replies(said(solo_reply(8, 7, 9, 8)))

    verdict = judged(plan())

    [entry] = LedgerEntry.objects.all()
    body = judge_at_standin.log()[0]["body"]
    assert entry.state == LedgerState.ANSWERED
    assert entry.system.text == body["system"][0]["text"]
    assert sent_messages(entry) == body["messages"]
    assert json.loads((reply_in(entry) or {})["text"]) == solo_reply(8, 7, 9, 8)
    assert entry.input_tokens + entry.cache_write_tokens + entry.cache_read_tokens > 0
    assert verdict.cost_nano_usd == entry.cost_nano_usd
    assert Job.objects.get().committed_nano_usd == entry.cost_nano_usd


def test_invalid_reply_is_asked_again_once_and_both_requests_count(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)
    judge_at_standin.replies({"text": "I give it an 8."}, said(solo_reply(8, 7, 9, 8)))

    verdict = judged(plan())

    first, second = LedgerEntry.objects.order_by("id")
    assert (first.ordinal, second.ordinal) == (1, 2)
    assert [turn["role"] for turn in sent_messages(second)] == ["user", "assistant", "user"]
    assert verdict.cost_nano_usd == (first.cost_nano_usd or 0) + (second.cost_nano_usd or 0)
    assert "reasked" in verdict.flags


@pytest.mark.parametrize(
    ("replies", "reason", "requests"),
    [
        ([{"text": "An 8."}, {"text": "An 8 I said."}], "unreadable", 2),
        ([said(solo_reply(8, 7, 9, 11))] * 2, "invalid", 2),
        ([{"content": [], "stop_reason": "refusal"}], "refused", 1),
        ([{"text": '{"scores": {', "stop_reason": "max_tokens"}] * 2, "truncated", 2),
    ],
)
def test_unjudged_has_its_reason_and_no_number(
    judge_at_standin: StandInControl,
    answers: Answers,
    plan: Plan,
    replies: list[dict[str, Any]],
    reason: str,
    requests: int,
) -> None:
    answers(1)
    judge_at_standin.replies(*replies)

    drain_job(plan().job.pk)

    judgement = Judgement.objects.get()
    assert (judgement.state, judgement.unjudged_reason) == (JudgementState.UNJUDGED, reason)
    assert judgement.unjudged_detail
    assert not Verdict.objects.exists()
    assert LedgerEntry.objects.filter(state=LedgerState.ANSWERED).count() == requests


@pytest.mark.parametrize("name", ["025_surrogate.json", "026_nul.json"])
def test_what_a_database_cannot_hold_is_kept_in_the_ledger_and_shown_escaped(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, name: str
) -> None:
    message = json.loads(case_text(name))
    answers(1)
    judge_at_standin.replies({"content": message["content"]})

    drain_job(plan().job.pk)

    said_by_judge = (reply_in(LedgerEntry.objects.order_by("id")[0]) or {})["text"]
    assert said_by_judge == message["content"][0]["text"]
    judgement = Judgement.objects.get()
    assert judgement.state in (JudgementState.JUDGED, JudgementState.UNJUDGED)
    assert judgement.unjudged_reason != "internal_error"


def test_many_are_judged_side_by_side_and_none_twice(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    judge_at_standin.settings(latency_ms=30)
    answers(60)

    drain_job(plan().job.pk)

    assert Verdict.objects.filter(superseded_at=None).count() == 60
    stats = judge_at_standin.stats()
    assert stats["requests"] == 60
    assert 2 <= stats["max_in_flight"] <= 8


def test_two_jobs_drain_side_by_side(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    judge_at_standin.settings(latency_ms=20)
    answers(150, run="big")
    answers(5, run="small")
    big, small = plan(run_id="big"), plan(run_id="small")

    assert drain() is False

    last_of_small = Judgement.objects.filter(job=small.job).latest("finished_at").finished_at
    before = Judgement.objects.filter(job=big.job, finished_at__lt=last_of_small).count()
    assert before < 140
    assert set(Job.objects.values_list("state", flat=True)) == {JobState.DONE}


def test_what_another_worker_holds_of_a_job_is_waited_for(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(2)
    planned = plan()
    [held] = claim_items(job_id=planned.job.pk, limit=1)
    outcome = Outcome(total=Fraction(40), total_without_persona=None, parts={}, working=())
    paused: list[float] = []

    def the_other_records(seconds: float) -> None:
        paused.append(seconds)
        if len(paused) == 2:
            Recorder().write([Record(held, outcome)])

    monkeypatch.setattr("verdicts_app.work.drain.time.sleep", the_other_records)

    assert drain_job(planned.job.pk).state == JobState.DONE

    assert len(paused) == 2
    assert Verdict.objects.count() == 2
    assert judge_at_standin.stats()["requests"] == 1


def test_what_a_worker_that_died_held_of_a_job_is_taken_back(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, settings: Any
) -> None:
    settings.JUDGE_SWEEP_S = 0
    answers(1)
    planned = plan()
    claim_items(job_id=planned.job.pk, limit=1)
    Judgement.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    assert drain_job(planned.job.pk).state == JobState.DONE

    judgement = Judgement.objects.get()
    assert (judgement.state, judgement.lost, judgement.attempt) == ("judged", 1, 2)


def test_a_worker_without_a_judge_does_not_stop_one_that_has_a_judge(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)
    planned = plan()
    states.wait_for_configuration(planned.job.pk)

    assert drain_job(planned.job.pk).state == JobState.DONE

    assert Verdict.objects.count() == 1


def test_without_a_judge_a_job_waits_and_the_drain_ends(
    no_judge: None, answers: Answers, plan: Plan
) -> None:
    answers(1)

    assert drain_job(plan().job.pk).state == JobState.WAITING


def test_drain_with_nothing_to_do_asks_nobody(
    judge_at_standin: StandInControl, db: None, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(1):
        assert drain() is False
    assert judge_at_standin.stats()["requests"] == 0


def test_drain_ends_in_time_and_says_that_work_is_left(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    judge_at_standin.settings(latency_ms=100)
    answers(60)
    planned = plan()

    assert drain(until_s=0.3) is True

    assert not Judgement.objects.filter(state=JudgementState.CLAIMED).exists()
    assert Judgement.objects.filter(state=JudgementState.PLANNED).exists()
    assert drain() is False
    assert Job.objects.get(pk=planned.job.pk).state == JobState.DONE


def test_a_worker_told_to_stop_finishes_what_is_in_flight_and_gives_back_the_rest(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    judge_at_standin.settings(latency_ms=300)
    answers(60)
    plan()

    assert drain(should_stop=lambda: True) is True

    states = set(Judgement.objects.values_list("state", flat=True))
    assert states <= {JudgementState.PLANNED, JudgementState.JUDGED}
    assert Judgement.objects.filter(state=JudgementState.PLANNED).count() >= 60 - 2 * 8
    assert not LedgerEntry.objects.filter(state=LedgerState.OPEN).exists()


def test_a_new_name_of_the_model_starts_an_epoch(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(2)
    reply = said(solo_reply(8, 7, 9, 8))
    judge_at_standin.replies({**reply, "model": "judge-1"}, {**reply, "model": "judge-2"})

    drain_job(plan().job.pk)

    first, second = [verdict.epoch for verdict in Verdict.objects.order_by("id")]
    assert first.base_digest == second.base_digest
    assert first.digest != second.digest
    assert {first.returned_model, second.returned_model} == {"judge-1", "judge-2"}


def test_planned_judgements_pin_what_was_published_when_they_were_planned(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    [response] = answers(1)
    planned = plan()
    scenario = response.scenario
    assert scenario is not None
    answers_about = answers(0, about=_changed(scenario.key))
    assert answers_about == []

    drain_job(planned.job.pk)

    [entry] = LedgerEntry.objects.all()
    assert "Review the refunds." in entry.system.text
    assert "Review them anew." not in entry.system.text


def _changed(name: str) -> Any:
    from judgeweb.judging.documents import ScenarioDocument

    return ScenarioDocument(name=name, challenge="Review them anew.")


def test_budget_is_a_hard_cap(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(40)
    planned = plan(budget_usd=Decimal("0.20"))

    job = drain_job(planned.job.pk)

    assert job.state == JobState.PARKED
    assert "USD of the budget are left" in job.state_detail
    assert job.budget_nano_usd is not None
    assert job.committed_nano_usd <= job.budget_nano_usd
    assert not Judgement.objects.filter(state=JudgementState.CLAIMED).exists()
    judged_now = Judgement.objects.filter(state=JudgementState.JUDGED).count()
    assert 0 < judged_now < 40
    assert judge_at_standin.stats()["requests"] == judged_now
