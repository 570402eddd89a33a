"""Judged again after a contract changed: what the judge decided is not paid for twice."""

from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from tests.factories import make_capture
from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import Plan
from tests.verdicts_app.work.test_work_on_calls import SCHEMA, checks, contract, judged, said
from verdicts_app.models import Job, Judgement, LedgerEntry, Verdict
from verdicts_app.work.drain import drain_job
from verdicts_app.work.plan import JudgeRequest, price

pytestmark = pytest.mark.django_db

STRICTER = {**SCHEMA, "required": ["subtasks", "domain"]}


def test_another_contract_takes_what_the_judge_decided(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    contract()
    spoken = make_capture(response_content='{"subtasks": ["ghost.py"]}')
    silent = make_capture(response_content=None, parsed_ok=False)
    judge_at_standin.replies(said(factual=False, free=True))
    judged(plan(call_type="planner"))
    first = spoken.verdicts.get()
    sent = judge_at_standin.stats()["requests"]
    contract(schema=STRICTER)
    wanted = JudgeRequest(run_id="run-1", call_type="planner")
    quoted = price(request=wanted)

    planned = plan(call_type="planner", probe=True)
    judged(planned)
    again, silent_again = spoken.verdicts.latest("pk"), silent.verdicts.latest("pk")

    assert (quoted.judgements, quoted.taken) == (2, 1)
    assert (quoted.estimate_nano_usd, quoted.first_request_nano_usd) == (0, 0)
    assert judge_at_standin.stats()["requests"] == sent == LedgerEntry.objects.count()
    assert checks(first)["schema_ok"] == (True, "contract")
    assert checks(again) == {
        "schema_ok": (False, "contract"),
        "factually_grounded": (False, "judge"),
        "hallucination_free": (True, "judge"),
    }
    assert [check.rationale for check in again.checks.all()][1:] == ["As it was found."] * 2
    assert (again.flags, again.cost_nano_usd, again.input_tokens) == ("reused", 0, 0)
    assert again.judgement is not None
    assert again.judgement.taken_from == first
    assert silent_again.judgement is not None
    assert (silent_again.judgement.taken_from, silent_again.flags) == (None, "empty_answer")
    assert Job.objects.get(pk=planned.job.pk).committed_nano_usd == 0
    assert "1 with the judge's part taken" in planned.job.events.last().text  # type: ignore[union-attr]


def test_identity_epoch_and_board_are_those_of_any_judgement(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    """R7, R8: the earlier verdict stays live and leaves the board; both are of one epoch."""
    contract()
    make_capture()
    [first] = judged(plan(call_type="planner"))
    contract(schema=STRICTER)
    again = judged(plan(call_type="planner"))[-1]
    contract(schema={**STRICTER, "required": ["domain"]})
    third = judged(plan(call_type="planner"))[-1]
    first.refresh_from_db()
    again.refresh_from_db()

    assert len({first.identity, again.identity, third.identity}) == 3
    assert first.epoch == again.epoch == third.epoch
    assert [verdict.on_board for verdict in (first, again, third)] == [False, False, True]
    assert first.is_live
    assert again.is_live
    assert third.judgement is not None
    assert third.judgement.taken_from == first
    call_command("recompute")


def test_what_was_judged_without_a_contract_is_asked_for_again(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    """Three dimensions were asked for then: another prompt."""
    make_capture()
    judged(plan(call_type="planner"))
    contract()

    again = judged(plan(call_type="planner"))[-1]

    assert "reused" not in again.flags
    assert judge_at_standin.stats()["requests"] == 2


@pytest.mark.parametrize(
    "change", [{"model": "claude-haiku-5-5"}, {"effort": "high"}, {"repeats": 2}]
)
def test_another_judge_or_repeat_is_asked(
    judge_at_standin: StandInControl, plan: Plan, change: dict[str, Any]
) -> None:
    contract()
    make_capture()
    judged(plan(call_type="planner"))
    contract(schema=STRICTER)

    planned = plan(call_type="planner", **change)

    asked = planned.job.judgements.filter(taken_from=None)
    assert asked.count() == 1


def test_a_judge_that_answers_under_another_name_is_another_judge(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    contract()
    capture, other = make_capture(), make_capture("reconciler")
    judge_at_standin.replies(
        {**said(), "model": "claude-sonnet-5-5-a"}, {**said(), "model": "claude-sonnet-5-5-b"}
    )
    judged(plan(capture_ids=[capture.pk]))
    judged(plan(capture_ids=[other.pk]))
    contract(schema=STRICTER)

    planned = plan(capture_ids=[capture.pk])

    assert planned.job.judgements.get().taken_from is None


def test_judging_again_on_purpose_asks_again(judge_at_standin: StandInControl, plan: Plan) -> None:
    contract()
    make_capture()
    judged(plan(call_type="planner"))
    contract(schema=STRICTER)
    judged(plan(call_type="planner", rejudge=True))
    assert judge_at_standin.stats()["requests"] == 1

    asked = plan(call_type="planner", rejudge=True)

    assert asked.job.judgements.get().taken_from is None
    assert "reused" not in judged(asked)[-1].flags
    assert judge_at_standin.stats()["requests"] == 2


def test_without_a_judge_what_is_known_is_judged(
    judge_at_standin: StandInControl, plan: Plan, settings: Any
) -> None:
    contract()
    make_capture()
    judged(plan(call_type="planner"))
    contract(schema=STRICTER)
    make_capture()
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""

    job = drain_job(plan(call_type="planner").job.pk)

    assert job.state == "waiting"
    assert Verdict.objects.count() == 2
    assert Verdict.objects.get(flags="reused").passed is False


def test_no_half_state(judge_at_standin: StandInControl, plan: Plan) -> None:
    make_capture()
    [verdict] = judged(plan(call_type="planner"))

    with pytest.raises(IntegrityError), transaction.atomic():
        Judgement.objects.update(taken_from=verdict)
    assert Job.objects.count() == 1
