"""Revisions are protected by the database itself, and the first ones ship with it."""

import hashlib
import json
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction

import rubrics_app
from judgeweb.judging.documents import canonical_json
from rubrics_app.models import AnchorSet, Revision, RevisionKind, Rubric
from rubrics_app.publishing import document_of, state_of
from rubrics_app.selectors import default_rubric, document_in, newest_revision

SEED = Path(rubrics_app.__file__).parent / "seed"

pytestmark = pytest.mark.django_db


def some_revision() -> Revision:
    return Revision.objects.create(
        kind=RevisionKind.SCENARIO, key="kiosk", number=1, document="{}", sha256="0" * 64
    )


@pytest.mark.parametrize("field", ["document", "note", "number", "sha256", "published_at"])
def test_revision_updated_is_refused_in_a_sentence(field: str) -> None:
    revision = some_revision()
    with (
        pytest.raises(IntegrityError, match="a published revision never changes"),
        transaction.atomic(),
    ):
        Revision.objects.filter(pk=revision.pk).update(**{field: getattr(revision, field) or "7"})
    with (
        pytest.raises(IntegrityError, match="a published revision never changes"),
        transaction.atomic(),
    ):
        revision.save()


def test_revision_deleted_is_refused_in_a_sentence() -> None:
    revision = some_revision()
    with (
        pytest.raises(IntegrityError, match="a published revision never goes"),
        transaction.atomic(),
    ):
        revision.delete()
    with (
        pytest.raises(IntegrityError, match="a published revision never goes"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("DELETE FROM rubrics_app_revision")
    assert Revision.objects.filter(pk=revision.pk).exists()


@pytest.mark.postgres
def test_revisions_truncated_is_refused() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite knows no TRUNCATE")
    with (
        pytest.raises(IntegrityError, match="a published revision never goes"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("TRUNCATE rubrics_app_revision CASCADE")


@pytest.mark.parametrize("round_", [1, 2])
@pytest.mark.django_db(transaction=True)
def test_transactional_test_finds_the_shipped_rubrics(round_: int) -> None:
    assert Revision.objects.filter(kind=RevisionKind.RUBRIC).count() == 11
    some_revision()


# --- what ships -------------------------------------------------------------------------------

SEED_SHA256 = {
    "comparison_rubrics.json": "4859920f24678e6d4a011d6ea1d281c7345c7c4862455c1649d8f3966605005d",
    "phase_anchors.json": "0bfa1de4e6044d4613290141cea7f35c491130eab9da301b56453f9186d522cd",
    "patches.json": "227a59669119fdc2c927b4f682fb2b06aec73610d149c39c70df9e9efa88534d",
    "calls.json": "146d533882f03c94eb0e57c213e721400bffb530d1bca769ad754c389a9e1cba",
    "anchors.json": "7d72b5d57689928db5ea89afc70d2aafd0a8f558d76f1473034459da6e6525de",
    "rubrics.json": "f7fa6869e1919732774c08f2c8f95e55985ae73e4a26b2bb674c9ebee6b77aa7",
}


def test_seed_files_are_never_edited() -> None:
    """The migration that ships them is frozen, and so is what it reads."""
    found = {name: hashlib.sha256((SEED / name).read_bytes()).hexdigest() for name in SEED_SHA256}
    assert found == SEED_SHA256


def test_shipped_anchor_sets_are_the_four_of_the_seed_and_two_of_ours() -> None:
    for document in [
        *json.loads((SEED / "anchors.json").read_text(encoding="utf-8")),
        *json.loads((SEED / "phase_anchors.json").read_text(encoding="utf-8")),
    ]:
        revision = newest_revision(RevisionKind.ANCHOR_SET, document["name"])
        assert revision is not None
        assert revision.number == 1
        assert json.loads(revision.document)["bands"] == document["bands"]
        assert len(document["bands"]) == 5
    assert list(AnchorSet.objects.values_list("key", flat=True)) == [
        "Correctness",
        "Depth",
        "Handoff",
        "Persona",
        "Quality",
        "Verdict",
    ]


@pytest.mark.parametrize(
    ("mode", "weights"),
    [
        ("solo", {"correctness": 25, "depth": 25, "quality": 25, "persona": 25}),
        ("checklist", {"detection": 50, "quality": 25, "persona": 25}),
        ("behaviours", {"execution": 50, "quality": 25, "persona": 25}),
        ("phase-sm", {"clarity": 30, "handoff": 40, "completeness": 30}),
        ("phase-tea", {"coverage": 35, "red_state": 35, "handoff": 30}),
        ("phase-dev", {"green_state": 40, "code_quality": 30, "handoff": 30}),
        ("phase-reviewer", {"detection": 40, "verdict": 30, "persona": 30}),
        ("coherence", {"coherence": 0}),
        (
            "swebench",
            {"root_cause": 30, "fix_quality": 40, "completeness": 20, "persona": 10},
        ),
        (
            "ground-truth",
            {
                "file_identification": 20,
                "location_identification": 20,
                "fix_logic_match": 40,
                "completeness": 20,
            },
        ),
    ],
)
def test_shipped_rubric_weighs_as_the_rules_say(mode: str, weights: dict[str, int]) -> None:
    revision = default_rubric(mode)
    document = document_in(revision)
    assert revision.number == 1
    assert document.mode == mode
    assert {d.key: d.weight for d in document.dimensions} == weights
    assert revision.sha256 == hashlib.sha256(revision.document.encode()).hexdigest()


def test_shipped_drafts_are_published_as_they_stand() -> None:
    """Word for word: publishing an untouched draft would give the very text that shipped."""
    for draft in (*AnchorSet.objects.all(), *Rubric.objects.all()):
        state = state_of(draft)
        assert state.label == "published as revision 1"
        assert state.newest is not None
        assert canonical_json(document_of(draft)) == state.newest.document


def test_shipping_again_does_nothing() -> None:
    AnchorSet.objects.get(key="Depth").bands.filter(low=1).update(text="My own words.")
    before = list(Revision.objects.values_list("kind", "key", "number"))
    for name in ("0003_ship_first_rubrics", "0006_ship_comparison_rubrics"):
        import_module(f"rubrics_app.migrations.{name}").ship(apps, None)
    assert list(Revision.objects.values_list("kind", "key", "number")) == before
    assert AnchorSet.objects.get(key="Depth").bands.get(low=1).text == "My own words."
