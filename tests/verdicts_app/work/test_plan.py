"""What a request comes to: planned, left out, refused; nothing is sent."""

import time
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from judgeweb.access.models import AuditEntry
from judgeweb.judging.documents import ChecklistItem, GoldDocument, ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from rubrics_app.models import Revision
from rubrics_app.scenarios import save_gold, save_scenario
from tests.factories import make_persona, make_response, make_run, make_scenario
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import Job, JobEvent, JobState, Judgement, Response
from verdicts_app.work.plan import JudgeRequest, plan_job, price

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("judge_at_standin")]

ISSUE = ChecklistItem(id="LOCK", category="critical", description="the lock is taken twice")


def test_mode_follows_the_scenario_and_the_newest_revisions_are_pinned(
    answers: Answers, plan: Plan
) -> None:
    answers(1)
    about = ScenarioDocument(name="listed", challenge="Review.", baseline_issues=(ISSUE,))
    answers(1, about=about)
    newest = save_scenario(about.model_copy(update={"challenge": "Review anew."}), user=None)[1]

    planned = plan()

    assert planned.planned == 2
    by_key = {one.scenario.key: one for one in Judgement.objects.select_related("scenario")}
    assert (by_key["refunds"].mode, by_key["listed"].mode) == ("solo", "checklist")
    assert by_key["listed"].scenario_revision == newest
    assert by_key["listed"].epoch.rubric_revision.key == "checklist"


def test_a_gold_standard_is_pinned_unless_it_is_left_out(answers: Answers, plan: Plan) -> None:
    answers(1)
    gold = GoldDocument(
        scenario="refunds", response="Release it.", score=Decimal(90), graded_by="R. Ode"
    )
    save_gold(gold, user=None)

    with_gold = plan()
    without = plan(use_gold=False)

    assert with_gold.job.judgements.get().gold_revision.kind == "gold"
    assert without.job.judgements.get().gold_revision is None


def test_failed_runs_are_counted_and_unknown_scenarios_listed(answers: Answers, plan: Plan) -> None:
    answers(1)
    make_response(outcome="failed", failure="timeout", text="")
    for _ in range(2):
        unlinked = make_response()
        Response.objects.filter(pk=unlinked.pk).update(scenario=None, scenario_key="unknown")

    planned = plan()

    assert (planned.planned, planned.failed_runs) == (1, 1)
    assert [(one.scenario, one.responses) for one in planned.unlinked] == [("unknown", 2)]
    texts = " ".join(JobEvent.objects.values_list("text", flat=True))
    assert "1 failed runs left out" in texts
    assert "unknown scenario unknown" in texts


def test_a_scenario_never_published_is_refused_with_its_field(plan: Plan) -> None:
    make_response(scenario=make_scenario("draft-only"))

    planned = plan()

    [refusal] = planned.refused
    assert (refusal.scenario, refusal.field) == ("draft-only", "scenario")
    assert planned.planned == 0
    assert Job.objects.get().state == JobState.DONE


def test_an_empty_checklist_is_refused_before_any_request(answers: Answers, plan: Plan) -> None:
    answers(2)

    planned = plan(mode="checklist")

    [refusal] = planned.refused
    assert refusal.field == "checklist"
    assert refusal.responses == 2
    assert any("checklist: " in event.text for event in JobEvent.objects.all())


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"mode": "poetry"}, "mode"),
        ({"rubric_key": "nowhere"}, "rubric"),
        ({"repeats": 6}, "repeats"),
        ({"repeats": 0}, "repeats"),
        ({"budget_usd": Decimal(0)}, "budget_usd"),
        ({"model": " "}, "model"),
        ({"effort": "heroic"}, "effort"),
        ({"output_mode": "song"}, "output_mode"),
        ({"run_id": "nowhere"}, "run_id"),
    ],
)
def test_a_request_that_cannot_be_used_names_its_field(
    answers: Answers, request_: dict[str, Any], field: str
) -> None:
    answers(1)
    request = JudgeRequest(**{"run_id": "run-1", **request_})

    with pytest.raises(CaseRefused) as refused:
        plan_job(request=request, user=None, actor="tester")
    with pytest.raises(CaseRefused) as unpriced:
        price(request=request)

    assert refused.value.field == unpriced.value.field == field
    assert not Job.objects.exists()


def test_what_is_planned_elsewhere_is_not_planned_twice(answers: Answers, plan: Plan) -> None:
    answers(3)
    plan()

    second = plan()

    assert (second.planned, second.already_planned) == (0, 3)
    assert Judgement.objects.count() == 3


def test_another_model_effort_or_repeat_is_other_work(answers: Answers, plan: Plan) -> None:
    answers(1)

    numbers = [
        plan().planned,
        plan(model="claude-opus-5-5").planned,
        plan(effort="high").planned,
        plan(output_mode="text").planned,
        plan(repeats=3).planned,
    ]

    assert numbers == [1, 1, 1, 1, 2]
    assert Judgement.objects.values("epoch").distinct().count() == 4


def test_price_writes_nothing_and_is_what_the_job_then_carries(
    answers: Answers, plan: Plan
) -> None:
    answers(4)

    shown = price(request=JudgeRequest(run_id="run-1"))

    assert not Job.objects.exists()
    assert shown.judgements == 4
    assert shown.estimate_nano_usd is not None
    assert 10**6 < shown.estimate_nano_usd < 10**9
    assert shown.first_request_nano_usd is not None
    assert plan().job.estimate_nano_usd == shown.estimate_nano_usd


def test_price_of_an_unknown_model_is_unknown_not_zero(answers: Answers) -> None:
    answers(1)

    shown = price(request=JudgeRequest(run_id="run-1", model="a-local-model"))

    assert shown.estimate_nano_usd is None
    assert shown.first_request_nano_usd is None


def test_planning_is_in_the_audit_log(answers: Answers, plan: Plan) -> None:
    answers(1)
    planned = plan()

    entry = AuditEntry.objects.get(action="plan job")
    assert (entry.actor, entry.target) == ("tester", str(planned.job.pk))


def test_ten_thousand_responses_are_planned_in_seconds(
    plan: Plan, django_assert_max_num_queries: Any
) -> None:
    scenario = save_scenario(ScenarioDocument(name="big", challenge="Do it."), user=None)[0]
    run, persona = make_run("big"), make_persona()
    Response.objects.bulk_create(
        Response(
            run=run,
            persona=persona,
            scenario=scenario,
            scenario_key="big",
            identity=str(number),
            content_sha256="0" * 64,
            outcome="answered",
            text="An answer.",
            answered_at=timezone.now(),
        )
        for number in range(10_000)
    )
    started = time.process_time()

    with django_assert_max_num_queries(70):
        planned = plan(run_id="big")

    assert planned.planned == 10_000
    assert time.process_time() - started < 10


def test_seeded_rubrics_are_there() -> None:
    keys = set(Revision.objects.filter(kind="rubric").values_list("key", flat=True))
    assert {"solo", "checklist", "behaviours"} <= keys
