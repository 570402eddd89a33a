"""Runs of patches judged without a mode: whose scenarios say what judges them."""

import json
from typing import Any

import pytest

from judgeweb.judging.documents import ChecklistItem, GoldDocument, ScenarioDocument
from rubrics_app.models import Scenario
from rubrics_app.scenarios import save_gold, save_scenario
from rubrics_app.swebench import scenario_of
from tests.factories import make_response
from tests.verdicts_app.mode_data import PATCH, make_instance
from tests.verdicts_app.work.conftest import Plan
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.responses import take_in
from verdicts_app.models import Job, JobState, LedgerEntry, Verdict
from verdicts_app.work.drain import drain_job
from verdicts_app.work.plan import JudgeRequest, price

pytestmark = pytest.mark.django_db

ID = "harbour__booking-17"
ISSUE = ChecklistItem(id="LOCK", category="critical", description="the lock is taken twice")


def published(document: ScenarioDocument) -> Scenario:
    return save_scenario(document, user=None).scenario


@pytest.fixture
def imported() -> Scenario:
    """An instance with the scenario that its import makes."""
    return published(scenario_of(make_instance(ID)))


def predicted(patch: str | None = PATCH) -> None:
    row = {"instance_id": ID, "model_name_or_path": "agent-7", "model_patch": patch}
    file = UploadedFile("preds.json", json.dumps([row]).encode())
    take_in(run_id="run-1", files=[file], user=None, actor="tester")


def modes_of(job: Job) -> list[str]:
    return sorted(job.judgements.values_list("mode", flat=True))


def test_predictions_are_judged_without_a_model_and_without_a_judge(
    imported: Scenario, no_judge: None, plan: Plan
) -> None:
    predicted()
    found = price(request=JudgeRequest(run_id="run-1"))
    planned = plan()
    job = drain_job(planned.job.pk)

    assert (found.judgements, found.estimate_nano_usd, found.model) == (1, 0, "no model")
    assert (planned.planned, planned.refused, job.state) == (1, (), JobState.DONE)
    verdict = Verdict.objects.get()
    assert (verdict.mode, verdict.total_exact) == ("swebench", "100")
    assert not LedgerEntry.objects.exists()
    assert plan().already_judged == 1


def test_a_mode_that_is_named_holds(
    imported: Scenario, judge_at_standin: object, plan: Plan
) -> None:
    predicted()
    assert modes_of(plan(mode="ground-truth").job) == ["ground-truth"]
    assert modes_of(plan(mode="solo").job) == ["solo"]
    # A rubric is named for a mode that asks a model.
    assert modes_of(plan(rubric_key="solo", rejudge=True, model="other-judge").job) == ["solo"]


def test_the_rest_of_a_run_goes_to_the_judge(
    imported: Scenario, judge_at_standin: object, plan: Plan
) -> None:
    predicted()
    listed = ScenarioDocument(name="listed", challenge="Review.", baseline_issues=(ISSUE,))
    make_response(scenario=published(listed), text="The lock is taken twice.")
    planned = plan()

    assert modes_of(planned.job) == ["checklist", "swebench"]
    assert drain_job(planned.job.pk).state == JobState.DONE
    assert sorted(Verdict.objects.values_list("mode", flat=True)) == ["checklist", "swebench"]


def source(**values: Any) -> str:
    return json.dumps({"source": {"benchmark": "swe-bench-verified", **values}})


@pytest.mark.parametrize(
    ("document", "mode"),
    [
        # Names its instance, by id or by alias: nothing else says how it is judged.
        ({"extras": source(instance_id=ID)}, "swebench"),
        ({"family": "ground-truth", "extras": source(instance_id=ID)}, "ground-truth"),
        ({"family": "solo", "extras": source(instance_id=ID)}, "solo"),
        # Adapted to a role: its lists are the instrument.
        ({"baseline_issues": (ISSUE,), "extras": source(instance_id=ID)}, "checklist"),
        ({"baseline_criteria": (ISSUE,), "extras": source(instance_id=ID)}, "behaviours"),
        # No gold patch is known of what it names, or it names none.
        ({"extras": source(instance_id="harbour__booking-18")}, "solo"),
        ({"extras": source(repo="harbour/booking")}, "solo"),
        ({"category": "swe-bench"}, "solo"),
        ({}, "solo"),
    ],
)
def test_what_a_scenario_says(
    document: dict[str, Any], mode: str, judge_at_standin: object, plan: Plan
) -> None:
    make_instance(ID)
    scenario = published(ScenarioDocument(name="own", challenge="Fix it.", **document))
    make_response(scenario=scenario, text=PATCH)

    assert modes_of(plan().job) == [mode]


def test_a_family_of_patches_without_a_gold_patch_is_refused(no_judge: None, plan: Plan) -> None:
    scenario = published(ScenarioDocument(name="own", challenge="Fix it.", family="swebench"))
    make_response(scenario=scenario, text=PATCH)
    (refusal,) = plan().refused

    assert (refusal.scenario, refusal.field) == ("own", "scenario")
    assert refusal.message.startswith("no gold patch is known for 'own'")


def test_a_gold_standard_of_an_instance_calibrates_a_judge(
    imported: Scenario, judge_at_standin: object, plan: Plan
) -> None:
    gold = GoldDocument(scenario=ID, response="Release it.", score=90, graded_by="R. Ode")
    save_gold(gold, user=None)
    planned = plan(golds=[ID], run_id=None)

    assert modes_of(planned.job) == ["solo"]
