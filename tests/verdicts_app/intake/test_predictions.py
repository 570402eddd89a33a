"""Prediction files for SWE-bench become answers: the model the spec, the instance the scenario."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from rubrics_app.models import Scenario, SweAlias, SweInstance
from rubrics_app.scenarios import save_scenario
from rubrics_app.swebench import scenario_of
from tests.judging.patches.patching import GOLD, text_of
from tests.verdicts_app.mode_data import make_instance
from verdicts_app.intake import judgement_data
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.linking import link_unlinked
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import Upload, take_in
from verdicts_app.models import Persona, Response

pytestmark = pytest.mark.django_db

ROW = {"instance_id": "isle__beacon-1", "model_name_or_path": "agent-7", "model_patch": GOLD}
OTHER = {**ROW, "instance_id": "isle__beacon-2", "model_patch": None}


def upload(content: Any, name: str = "preds.json", run: str = "r1") -> Receipt:
    text = content if isinstance(content, str) else json.dumps(content)
    file = UploadedFile(name, text.encode())
    return take_in(run_id=run, files=[file], user=None, actor="test")


def stored() -> dict[str, tuple[str, str, str, str]]:
    return {
        one.scenario_key: (one.persona.spec, one.model, one.text, one.outcome)
        for one in Response.objects.select_related("persona")
    }


EXPECTED = {
    "isle__beacon-1": ("agent-7", "agent-7", GOLD, "answered"),
    "isle__beacon-2": ("agent-7", "agent-7", "", "answered"),
}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("preds.json", [ROW, OTHER]),
        ("preds.json", {one["instance_id"]: one for one in (ROW, OTHER)}),
        ("all_preds.jsonl", f"{json.dumps(ROW)}\n{json.dumps(OTHER)}\n"),
        (
            "preds.json",
            {
                str(one["instance_id"]): {k: v for k, v in one.items() if k != "instance_id"}
                for one in (ROW, OTHER)
            },
        ),
    ],
)
def test_every_form_gives_the_same_answers(name: str, content: Any) -> None:
    receipt = upload(content, name)

    assert (receipt.accepted, receipt.refused) == (2, ())
    assert stored() == EXPECTED


def test_case_95_absent_empty_and_null_patches_are_answers_without_text() -> None:
    receipt = upload(text_of("095_empty.jsonl"), "p.jsonl")

    # In the divisor, each of them: none is a failed run.
    assert (receipt.accepted, receipt.failed) == (5, 0)
    assert [text for _, _, text, _ in stored().values()] == [
        "", "", "\n", "", "No changes needed.",
    ]  # fmt: skip
    assert {outcome for *_, outcome in stored().values()} == {"answered"}


def test_a_key_that_contradicts_its_prediction_is_said_by_key() -> None:
    receipt = upload({"isle__beacon-9": ROW, "isle__beacon-2": OTHER})

    assert stored() == EXPECTED
    assert [(one.place, one.text) for one in receipt.warnings] == [
        (
            "key isle__beacon-9",
            'instance_id: "isle__beacon-1" here, and its key is "isle__beacon-9": the first counts',
        )
    ]


@pytest.mark.parametrize("again", [False, True])
def test_of_two_predictions_of_one_model_for_one_instance_the_first_stands(again: bool) -> None:
    other = {**ROW, "model_patch": "another"}
    lines = "\n".join(json.dumps(one) for one in (ROW, OTHER, other, ROW))
    receipt = upload(lines, "preds.jsonl")
    if again:
        assert receipt.accepted == 2
        receipt = upload(lines, "preds.jsonl")

    assert stored() == EXPECTED
    assert (receipt.accepted, receipt.duplicate) == ((0, 3) if again else (2, 1))
    [refusal] = receipt.refused
    assert (refusal.place, refusal.field) == ("line 3", "model_patch")
    assert refusal.reason == (
        "another prediction of 'agent-7' for 'isle__beacon-1' stands in preds.jsonl line 1; the "
        "first stands"
    )


def test_attempts_with_ids_of_their_own_are_several_answers() -> None:
    rows = [{**ROW, "run_id": str(n), "model_patch": f"attempt {n}"} for n in (1, 2)]
    assert upload(rows).accepted == 2


def test_predictions_of_two_files_of_one_upload_contradict_each_other_too() -> None:
    files = [
        UploadedFile("preds.json", json.dumps([one]).encode())
        for one in (ROW, {**ROW, "model_patch": "another"})
    ]
    receipt = take_in(run_id="r1", files=files, user=None, actor="test")
    [refusal] = receipt.refused
    assert (refusal.file, refusal.place) == ("preds (2).json", "item 1")
    assert "stands in preds.json item 1" in refusal.reason


def test_sending_again_changes_nothing() -> None:
    upload([ROW, OTHER])
    receipt = upload({ROW["instance_id"]: ROW, OTHER["instance_id"]: OTHER})

    assert (receipt.accepted, receipt.duplicate) == (0, 2)
    assert Response.objects.count() == 2


def test_prediction_is_linked_to_the_scenario_of_its_instance() -> None:
    scenario = Scenario.objects.create(key="isle__beacon-1", challenge="c")
    receipt = upload([ROW, OTHER])

    assert Response.objects.get(scenario_key="isle__beacon-1").scenario == scenario
    assert receipt.unlinked == ("isle__beacon-2",)


def named_beacon() -> tuple[SweInstance, Scenario]:
    """An instance with its scenario, which is also called beacon-1."""
    instance = make_instance("isle__beacon-1")
    SweAlias.objects.create(alias="beacon-1", instance=instance)
    return instance, Scenario.objects.create(key="isle__beacon-1", challenge="c")


def test_prediction_that_names_an_alias_is_linked_to_the_scenario_of_its_instance() -> None:
    _, scenario = named_beacon()
    named, part = ({**ROW, "instance_id": name} for name in ("beacon-1", "beacon"))
    receipt = upload([named, part])

    assert Response.objects.get(scenario_key="beacon-1").scenario == scenario
    assert receipt.unlinked == ("beacon",)  # a part of a name is no name


def test_patch_judged_under_an_alias_stands_beside_those_under_the_id() -> None:
    instance = make_instance("isle__beacon-1")
    SweAlias.objects.create(alias="beacon-1", instance=instance)
    scenario = save_scenario(scenario_of(instance), user=None, actor="test").scenario
    for name in ("beacon-1", "isle__beacon-1"):
        data = {"scenario": name, "response": GOLD}
        judgement_data.take_in(data, mode="swebench", run_id="r1", user=None, actor="test")

    assert set(Response.objects.values_list("scenario", flat=True)) == {scenario.pk}


def test_scenario_of_exactly_the_name_comes_before_an_alias() -> None:
    named_beacon()
    own = Scenario.objects.create(key="beacon-1", challenge="c")
    upload({**ROW, "instance_id": "beacon-1"})

    assert Response.objects.get().scenario == own


def test_answers_that_came_before_the_alias_are_linked_once_it_is_known() -> None:
    rows = [{**ROW, "instance_id": name} for name in ("beacon-1", "isle__beacon-1", "other")]
    upload(rows)
    _, scenario = named_beacon()

    assert link_unlinked() == 2
    assert link_unlinked() == 0
    linked = dict(Response.objects.values_list("scenario_key", "scenario"))
    assert linked == {"beacon-1": scenario.pk, "isle__beacon-1": scenario.pk, "other": None}


def test_other_fields_do_not_say_what_became_of_the_run() -> None:
    upload({**ROW, "resolved": False, "edit_outcome": False})

    [answer] = Response.objects.all()
    assert (answer.outcome, answer.text) == ("answered", GOLD)
    assert json.loads(answer.document)["resolved"] is False


def test_model_that_no_row_names_is_asked_for() -> None:
    row = {key: value for key, value in ROW.items() if key != "model_name_or_path"}
    [refusal] = upload(row).refused
    assert (refusal.field, Persona.objects.count()) == ("spec", 0)

    file = UploadedFile("p.json", json.dumps(row).encode())
    assert (
        take_in(
            run_id="r1", files=[file], how=Upload(spec="agent-8"), user=None, actor="t"
        ).accepted
        == 1
    )


def test_patch_that_is_no_text_is_refused_by_name() -> None:
    [refusal] = upload([{**ROW, "model_patch": ["a"]}]).refused

    assert (refusal.place, refusal.field, refusal.reason) == (
        "item 1",
        "response",
        'expected text, not ["a"]',
    )


def test_directory_of_predictions_is_imported_by_command(tmp_path: Path) -> None:
    (tmp_path / "isle__beacon-1.pred").write_text(json.dumps(ROW))
    (tmp_path / "preds.json").write_text(json.dumps({"isle__beacon-2": OTHER}))
    out = io.StringIO()

    call_command("import_run", str(tmp_path), "--run-id", "agents", stdout=out)

    assert stored() == EXPECTED
    assert set(Response.objects.values_list("run__run_id", flat=True)) == {"agents"}
