"""Prediction files for SWE-bench become answers: the model the spec, the instance the scenario."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from rubrics_app.models import Scenario
from tests.judging.patches.patching import GOLD, text_of
from verdicts_app.intake.files import UploadedFile
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
