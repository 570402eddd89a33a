"""Instances are found by exact id, alias or the scenario's own word; the database keeps them."""

import json

import pytest
from django.db import IntegrityError, transaction

from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.types import FunctionSpan
from rubrics_app.models import SweAlias, SweFunctions, SweInstance
from rubrics_app.patch_cases import instance_digest, instance_for, patch_case
from rubrics_app.selectors import default_rubric, rubric_document

pytestmark = pytest.mark.django_db

INDEX = {"src/pkg/shape.py": [["f", "area", 1, 2]]}


@pytest.fixture
def flask() -> SweInstance:
    instance = SweInstance.objects.create(
        instance_id="pallets__flask-5014",
        repo="pallets/flask",
        base_commit="7ee9ceb71e86",
        problem_statement="Require a name.",
        patch="--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n",
        sha256="1" * 64,
    )
    SweAlias.objects.create(alias="flask-5014", instance=instance)
    return instance


def adapted(name: str, base: object) -> ScenarioDocument:
    extras = json.dumps({"source": {"instance_id": base}})
    return ScenarioDocument(name=name, challenge="c", extras=extras)


def test_instance_is_found_by_its_id_or_alias(flask: SweInstance) -> None:
    assert instance_for("pallets__flask-5014") == flask
    assert instance_for("flask-5014") == flask


@pytest.mark.parametrize("key", ["flask-501", "flask-50145", "lask-5014", "5014", "flask", "", "F"])
def test_part_of_a_name_finds_nothing(flask: SweInstance, key: str) -> None:
    assert instance_for(key) is None


def test_adapted_scenario_names_its_base(flask: SweInstance) -> None:
    assert instance_for("flask-5014-tea") is None
    assert instance_for("tea", adapted("tea", "pallets__flask-5014")) == flask
    assert instance_for("tea", adapted("tea", ["pallets__flask-5014"])) is None
    assert instance_for("tea", ScenarioDocument(name="tea", challenge="c")) is None


def test_case_carries_the_instance_and_its_function_index(flask: SweInstance) -> None:
    SweFunctions.objects.create(instance=flask, index=json.dumps(INDEX), sha256="2" * 64)
    found = instance_for("flask-5014")
    assert found is not None

    case = patch_case(
        found,
        rubric=rubric_document(default_rubric("ground-truth")),
        scenario="flask-5014",
        response="",
    )

    assert case.gold_patch == flask.patch
    assert case.issue == "Require a name."
    assert case.functions["src/pkg/shape.py"] == (FunctionSpan("f", "area", 1, 2),)


def test_digest_moves_with_the_function_index(flask: SweInstance) -> None:
    before = instance_digest(flask)
    SweFunctions.objects.create(instance=flask, index="{}", sha256="2" * 64)
    found = instance_for("flask-5014")
    assert found is not None
    assert instance_digest(found) != before


def test_instance_changed_or_deleted_is_refused_in_a_sentence(flask: SweInstance) -> None:
    SweFunctions.objects.create(instance=flask, index="{}", sha256="2" * 64)
    for model, subject in ((SweInstance, "instance"), (SweFunctions, "function index")):
        with (
            pytest.raises(IntegrityError, match=f"an imported {subject} never changes"),
            transaction.atomic(),
        ):
            model.objects.update(sha256="3" * 64)
        with (
            pytest.raises(IntegrityError, match=f"an imported {subject} never goes"),
            transaction.atomic(),
        ):
            model.objects.all()._raw_delete("default")


def test_instance_without_gold_patch_is_refused() -> None:
    with (
        pytest.raises(IntegrityError, match="an instance has an id and a gold patch"),
        transaction.atomic(),
    ):
        SweInstance.objects.create(instance_id="x", repo="r", base_commit="c", patch="")
