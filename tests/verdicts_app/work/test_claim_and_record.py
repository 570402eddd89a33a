"""Who holds a judgement may record it, nobody else (cases 71, 73, 77)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.utils import timezone

from judgeweb.judging.types import Prompt, Reply, Unjudged, UnjudgedReason, Usage
from judgeweb.judging.types import Verdict as Outcome
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
from verdicts_app.work import claim
from verdicts_app.work.budget import Refused
from verdicts_app.work.control import cancel_job, pause_job
from verdicts_app.work.items import case_of
from verdicts_app.work.ledger import Closing, Ledger, Opening, close
from verdicts_app.work.record import Record, Recorder
from verdicts_app.work.sweep import MOST_LOSSES, sweep

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("judge_at_standin")]

OUTCOME = Outcome(total=Fraction(151, 2), total_without_persona=None, parts={}, working=())
PROMPT = Prompt("system", "user", {})
CENT = 10**7


def take(job: Any, limit: int = 100, **more: Any) -> list[claim.Item]:
    return claim.claim_items(job_id=job.pk, limit=limit, **more)


@contextmanager
def leases_run_out() -> Iterator[None]:
    Judgement.objects.filter(state=JudgementState.CLAIMED).update(
        claimed_until=timezone.now() - timedelta(seconds=1)
    )
    yield


def opening(item: claim.Item, worst: int | None = CENT) -> Opening:
    return Opening(item.id, item.job_id, item.attempt, 1, PROMPT, (), 100, worst)


def test_claims_do_not_overlap_and_raise_the_attempt(answers: Answers, plan: Plan) -> None:
    answers(5)
    job = plan().job

    first, second, third = take(job, 3), take(job, 3), take(job, 3)

    assert [len(one) for one in (first, second, third)] == [3, 2, 0]
    assert {item.id for item in first}.isdisjoint(item.id for item in second)
    assert {item.attempt for item in first + second} == {1}
    assert Judgement.objects.filter(claimed_until__gt=timezone.now()).count() == 5


def test_a_claim_reads_all_that_judging_needs_in_few_queries(
    answers: Answers, plan: Plan, django_assert_num_queries: Any
) -> None:
    answers(20)
    job = plan().job

    # The claim, the rows, their epochs, their revisions.
    with django_assert_num_queries(4):
        items = take(job)
        for item in items:
            case_of(item)

    assert len(items) == 20


def test_a_job_that_does_not_run_gives_nothing(answers: Answers, plan: Plan) -> None:
    answers(2)
    job = plan().job
    pause_job(job_id=job.pk, actor="tester")

    assert take(job) == []


def test_recording_twice_changes_nothing(answers: Answers, plan: Plan) -> None:
    answers(1)
    [item] = take(plan().job)
    recorder = Recorder()

    assert recorder.write([Record(item, OUTCOME)]) == {item.id}
    assert recorder.write([Record(item, OUTCOME)]) == set()

    assert Verdict.objects.get().total_nano == 75_500_000_000


def test_a_late_worker_cannot_overwrite(answers: Answers, plan: Plan) -> None:
    answers(1)
    job = plan().job
    [late] = take(job)
    with leases_run_out():
        assert sweep().given_back == 1
    [current] = take(job)
    recorder = Recorder()

    assert recorder.write([Record(late, replace(OUTCOME, total=Fraction(1)))]) == set()
    assert claim.renew([late]) == 0
    assert claim.release([late]) == 0
    assert recorder.write([Record(current, OUTCOME)]) == {current.id}

    assert (late.attempt, current.attempt) == (1, 2)
    assert Verdict.objects.get().total_exact == "151/2"


def test_case_73_killed_between_reply_and_save_two_requests_count_and_one_verdict_shows(
    answers: Answers, plan: Plan
) -> None:
    answers(1)
    job = plan().job
    book = Ledger()
    [item] = take(job)
    book.open([opening(item)])
    with leases_run_out():
        assert sweep().lost_requests == 1
    [again] = take(job)
    [entry_id] = book.open([opening(again)])
    assert isinstance(entry_id, int)
    reply = Reply("{}", "end_turn", ("text",), Usage(10, output=5), "m")
    close([Closing(entry_id, opening(again), reply, 3 * 10**6, timezone.now())])
    Recorder().write([Record(again, OUTCOME, 3 * 10**6)])

    assert Verdict.objects.count() == 1
    states = LedgerEntry.objects.order_by("id").values_list("state", flat=True)
    assert list(states) == [LedgerState.LOST, LedgerState.ANSWERED]
    # The lost one counts its worst case.
    assert Job.objects.get().committed_nano_usd == CENT + 3 * 10**6


def test_the_answer_of_a_late_worker_is_kept_in_the_ledger(answers: Answers, plan: Plan) -> None:
    answers(1)
    [item] = take(plan().job)
    [entry_id] = Ledger().open([opening(item)])
    assert isinstance(entry_id, int)
    with leases_run_out():
        sweep()

    reply = Reply("late", "end_turn", ("text",), Usage(10, output=5), "m")
    close([Closing(entry_id, opening(item), reply, 10, timezone.now())])

    assert LedgerEntry.objects.get().state == LedgerState.ANSWERED
    assert Job.objects.get().committed_nano_usd == 10


def test_case_77_what_always_kills_its_worker_is_given_up(answers: Answers, plan: Plan) -> None:
    answers(1)
    job = plan().job
    for lost in range(MOST_LOSSES):
        assert len(take(job, 1, suspects=lost >= claim.SUSPECT)) == 1
        with leases_run_out():
            swept = sweep()

    assert swept.given_up == 1
    judgement = Judgement.objects.get()
    assert (judgement.state, judgement.unjudged_reason) == ("unjudged", "lost_worker")
    assert Job.objects.get().state == JobState.DONE


def test_a_suspect_is_claimed_apart_from_the_others(answers: Answers, plan: Plan) -> None:
    answers(3)
    job = plan().job
    suspect = Judgement.objects.order_by("id")[0]
    Judgement.objects.filter(pk=suspect.pk).update(lost=claim.SUSPECT)

    assert suspect.pk not in {item.id for item in take(job)}
    assert [item.id for item in take(job, 1, suspects=True)] == [suspect.pk]


def test_released_items_are_planned_again_or_cancelled_with_their_job(
    answers: Answers, plan: Plan
) -> None:
    answers(2)
    job = plan().job
    first, second = take(job)
    claim.release([first])
    assert Judgement.objects.get(pk=first.id).state == JudgementState.PLANNED

    cancel_job(job_id=job.pk, actor="tester")
    claim.release([second])

    assert set(Judgement.objects.values_list("state", flat=True)) == {JudgementState.CANCELLED}


def test_no_request_past_the_budget_or_after_the_job_was_stopped(
    answers: Answers, plan: Plan
) -> None:
    answers(3)
    job = plan().job
    items = take(job)
    Job.objects.update(budget_nano_usd=2 * CENT)
    book = Ledger()

    answers_ = book.open([opening(item) for item in items])

    assert [isinstance(one, int) for one in answers_] == [True, True, False]
    assert answers_[2] is Refused.NO_ROOM
    pause_job(job_id=job.pk, actor="tester")
    assert book.open([opening(items[2], None)]) == [Refused.STOPPED]
    assert LedgerEntry.objects.count() == 2


def test_an_unjudged_outcome_is_escaped_where_a_database_could_not_hold_it(
    answers: Answers, plan: Plan
) -> None:
    answers(1)
    [item] = take(plan().job)
    outcome = Unjudged(UnjudgedReason.UNREADABLE, "it said \x00 and \ud83d")

    Recorder().write([Record(item, outcome)])

    assert Judgement.objects.get().unjudged_detail == "it said \\u0000 and \\ud83d"
