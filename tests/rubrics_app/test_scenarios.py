"""Whole documents saved as drafts, and scenario files imported."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from judgeweb.access.models import AuditEntry
from judgeweb.judging.documents import (
    ChecklistItem,
    CodeFile,
    GoldDocument,
    ScenarioDocument,
    canonical_json,
)
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.importing import Importer, counts, files_below
from rubrics_app.models import GoldStandard, Revision, RevisionKind, Scenario
from rubrics_app.publishing import document_of, publish
from rubrics_app.scenarios import Change, inline_key, save_gold, save_scenario
from rubrics_app.selectors import gold_document, newest_revision, scenario_document

CASES = Path(__file__).parents[1] / "cases" / "scenarios"

pytestmark = pytest.mark.django_db

KIOSK = ScenarioDocument(
    name="kiosk",
    title="The kiosk",
    category="code-review",
    challenge="Find what is wrong.",
    files=(CodeFile(language="python", filename="k.py", content="    x = 1\n"),),
    baseline_issues=(
        ChecklistItem(id="a", category="high", description="One", details=(("location", "12"),)),
        ChecklistItem(id="b", category="low", description="Two"),
    ),
    bonus_issues=(ChecklistItem(id="c", category="extra", description="Three"),),
    extras='{"id":"k-1"}',
)
GOLD = GoldDocument(scenario="kiosk", response="All.", score="92.50", graded_by="Ana Ruiz")


# --- save_scenario ----------------------------------------------------------------------------


def test_saved_scenario_is_the_document() -> None:
    scenario, revision, change = save_scenario(KIOSK, user=None)
    assert change is Change.CREATED
    assert document_of(scenario) == KIOSK
    assert revision is not None
    assert revision.number == 1
    assert revision.document == canonical_json(KIOSK)
    assert scenario_document(revision) == KIOSK


def test_saved_again_changes_nothing() -> None:
    save_scenario(KIOSK, user=None)
    scenario, revision, change = save_scenario(KIOSK, user=None)
    assert (change, scenario.version) == (Change.UNCHANGED, 1)
    assert revision is not None
    assert revision.number == 1
    assert Revision.objects.filter(kind=RevisionKind.SCENARIO).count() == 1


def test_changed_document_is_the_next_revision_and_raises_the_version() -> None:
    save_scenario(KIOSK, user=None)
    scenario, revision, change = save_scenario(
        KIOSK.model_copy(update={"bonus_issues": ()}), user=None
    )
    assert change is Change.CHANGED
    assert revision is not None
    assert revision.number == 2
    scenario.refresh_from_db()
    assert scenario.version == 2
    assert list(scenario.items.values_list("item_id", flat=True)) == ["a", "b"]


def test_draft_alone_is_saved_without_a_revision() -> None:
    saved = save_scenario(KIOSK, user=None, publish=False)
    assert saved.revision is None
    assert newest_revision(RevisionKind.SCENARIO, "kiosk") is None
    published = save_scenario(KIOSK, user=None)
    assert published.change is Change.UNCHANGED
    assert published.revision is not None


def test_refused_document_leaves_nothing() -> None:
    broken = KIOSK.model_copy(update={"challenge": "  "})
    with pytest.raises(DocumentInvalid, match="challenge: the challenge is empty"):
        save_scenario(broken, user=None)
    assert not Scenario.objects.exists()
    assert not AuditEntry.objects.exists()


def test_repeated_id_is_refused_even_as_a_draft() -> None:
    twice = KIOSK.model_copy(update={"bonus_issues": KIOSK.baseline_issues[:1]})
    with pytest.raises(DocumentInvalid, match="the id 'a' stands 2 times"):
        save_scenario(twice, user=None, publish=False)
    assert not Scenario.objects.exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"title": "t" * 301}, "title: "),
        ({"name": "n" * 201}, "key: "),
        ({"name": " "}, "name: is empty"),
        (
            {"baseline_issues": (ChecklistItem(id="i" * 201, category="high", description="x"),)},
            "item_id: ",
        ),
    ],
)
def test_what_no_column_holds_is_refused_by_name(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(DocumentInvalid) as refused:
        save_scenario(KIOSK.model_copy(update=changes), user=None)
    assert said in str(refused.value)
    assert not Scenario.objects.exists()


def test_nul_is_stored_as_a_visible_escape() -> None:
    saved = save_scenario(KIOSK.model_copy(update={"challenge": "a\x00b"}), user=None)
    assert saved.scenario.challenge == "a\\u0000b"
    again = save_scenario(KIOSK.model_copy(update={"challenge": "a\x00b"}), user=None)
    assert again.change is Change.UNCHANGED


def test_inline_scenario_is_marked_and_named_by_its_content() -> None:
    key = inline_key("0123456789abcdef" * 4)
    assert key == "inline-0123456789ab"
    saved = save_scenario(KIOSK.model_copy(update={"name": key}), user=None, is_inline=True)
    assert saved.scenario.is_inline


def test_audit_names_actor_and_act(make_user: Any) -> None:
    ada = make_user("author", "ada")
    save_scenario(KIOSK, user=ada)
    save_scenario(KIOSK, user=ada)
    found = [(e.actor, e.action, e.target) for e in AuditEntry.objects.order_by("id")]
    assert found == [
        ("ada", "create scenario", "kiosk"),
        ("ada", "publish scenario", "kiosk, revision 1"),
    ]


# --- save_gold --------------------------------------------------------------------------------


def test_gold_is_saved_published_and_left_alone_when_equal() -> None:
    save_scenario(KIOSK, user=None)
    gold, revision, change = save_gold(GOLD, user=None)
    assert (change, gold.key) == (Change.CREATED, "kiosk")
    assert revision is not None
    assert gold_document(revision) == GOLD
    assert '"score":"92.5"' in revision.document
    assert save_gold(GOLD, user=None).change is Change.UNCHANGED
    changed = save_gold(GOLD.model_copy(update={"notes": "Terse."}), user=None)
    assert changed.change is Change.CHANGED
    assert changed.revision is not None
    assert changed.revision.number == 2


def test_gold_of_an_unknown_scenario_is_refused() -> None:
    with pytest.raises(DocumentInvalid, match="no scenario 'kiosk' is known"):
        save_gold(GOLD, user=None)


def test_published_drafts_cannot_be_deleted() -> None:
    scenario = save_scenario(KIOSK, user=None).scenario
    with pytest.raises(Exception, match="can be archived, not deleted"):
        scenario.delete()
    draft = save_scenario(KIOSK.model_copy(update={"name": "other"}), user=None, publish=False)
    draft.scenario.delete()
    assert list(Scenario.objects.values_list("key", flat=True)) == ["kiosk"]


def test_gold_graded_by_no_person_cannot_be_published() -> None:
    save_scenario(KIOSK, user=None)
    gold = save_gold(GOLD, user=None, publish=False).gold
    GoldStandard.objects.filter(pk=gold.pk).update(graded_by="Claude")
    with pytest.raises(DocumentInvalid, match="graded_by: must name a person; 'Claude' is none"):
        publish(gold, user=None, actor="ada")


# --- import_scenarios -------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("import_scenarios", *arguments, stdout=out)
    except SystemExit as stop:
        return int(stop.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_folder_is_imported_with_a_report_a_file() -> None:
    code, out = run(str(CASES))
    assert code == 0
    assert f"warned  {CASES}/cart.json: cart created, revision 1" in out
    assert "        baseline_criteria" not in out
    assert "        scoring.total_baseline_tests: declares 5, but 4 are listed" in out
    assert "retro created, revision 1, gold standard created" in out
    assert out.endswith("2 read, 3 warned, 0 refused, 5 created, 0 changed, 0 unchanged\n")
    assert Scenario.objects.count() == 5


def test_importing_again_changes_nothing() -> None:
    run(str(CASES))
    before = list(Revision.objects.values_list("kind", "key", "number"))
    code, out = run(str(CASES))
    assert code == 0
    assert out.endswith("0 created, 0 changed, 5 unchanged\n")
    assert list(Revision.objects.values_list("kind", "key", "number")) == before


def test_dry_run_reports_and_changes_nothing() -> None:
    revisions = Revision.objects.count()
    code, out = run(str(CASES), "--dry-run")
    assert code == 0
    assert "5 created" in out
    assert out.endswith("; dry run, nothing was changed\n")
    assert not Scenario.objects.exists()
    assert not AuditEntry.objects.exists()
    assert Revision.objects.count() == revisions


def test_no_publish_saves_drafts_only() -> None:
    code, out = run(str(CASES / "retro.yaml"), "--no-publish")
    assert code == 0
    assert "retro created, draft, gold standard created" in out
    assert newest_revision(RevisionKind.SCENARIO, "retro") is None


def test_refused_file_leaves_the_others_standing(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("name: a\nprompt: p\n")
    (tmp_path / "b.yaml").write_text(
        "name: b\nprompt: p\ngold_standard: {response: r, score: 88, graded_by: claude}\n"
    )
    (tmp_path / "c.yaml").write_text("name: a\nprompt: other\n")
    (tmp_path / "notes.txt").write_text("no scenario")
    code, out = run(str(tmp_path), str(tmp_path / "missing.yaml"), "--json")
    report = json.loads(out)
    assert code == 1
    assert [file["outcome"] for file in report["files"]] == ["read", *["refused"] * 3]
    assert report["files"][1]["refusal"] == {
        "place": "gold_standard.graded_by",
        "line": 3,
        "message": "must name a person; 'claude' is none",
    }
    assert "already read from" in report["files"][2]["refusal"]["message"]
    assert "cannot be read" in report["files"][3]["refusal"]["message"]
    assert list(Scenario.objects.values_list("key", "challenge")) == [("a", "p")]


def test_nothing_of_a_file_is_stored_where_its_gold_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(
        "name: b\nprompt: p\ngold_standard: {response: ' ', score: 88, graded_by: Ana Ruiz}\n"
    )
    assert run(str(tmp_path))[0] == 1
    assert not Scenario.objects.exists()


def test_empty_folder_is_no_success(tmp_path: Path) -> None:
    assert run(str(tmp_path))[0] == 1


def test_revision_says_where_it_came_from() -> None:
    list(Importer(user=None, actor="command").take_files([CASES / "plain.yaml"]))
    revision = newest_revision(RevisionKind.SCENARIO, "plain")
    assert revision is not None
    assert revision.note == "imported from plain.yaml"
    assert AuditEntry.objects.filter(actor="command").count() == 2


SHARED_OUTCOMES = {
    "flask-5014-tea.yaml": ("read", 0, 3, 0, 3),
    "flask-5014.yaml": ("read", 0, 0, 0, 0),
    "legacy-modernization.yaml": ("read", 0, 0, 0, 0),
    "null-pointer.yaml": ("read", 3, 0, 0, 0),
    "payment-processor-tests.yaml": ("warned", 19, 0, 21, 0),
    "security-review.yaml": ("read", 12, 0, 0, 0),
    "sprint-planning-conflict.yaml": ("read", 0, 12, 0, 6),
    "sql-injection.yaml": ("read", 7, 0, 0, 0),
    "tdd-shopping-cart.yaml": ("read", 0, 5, 0, 3),
}


@pytest.mark.shared
def test_every_reference_file_imports(shared: Path) -> None:
    """Outcome, then the counts of the four lists."""
    folder = shared / "samples" / "scenarios"
    found = {}
    for file in files_below(folder):
        report = Importer(user=None, actor="command").take_file(file, {})
        revision = newest_revision(RevisionKind.SCENARIO, report.key)
        assert revision is not None, report
        d = scenario_document(revision)
        lists = (d.baseline_issues, d.baseline_criteria, d.bonus_issues, d.bonus_criteria)
        found[file.name] = (report.outcome, *map(len, lists))
    assert found == SHARED_OUTCOMES


@pytest.mark.shared
def test_declared_totals_of_a_reference_file_are_counted(shared: Path) -> None:
    file = shared / "samples" / "scenarios" / "payment-processor-tests.yaml"
    report = Importer(user=None, actor="command").take_file(file, {})
    assert [(note.place, note.message) for note in report.notes] == [
        ("scoring.total_baseline_tests", "declares 20, but 19 are listed"),
        ("scoring.total_bonus_tests", "declares 19, but 21 are listed"),
        (
            "challenge",
            "announces '39 known test scenarios', but 19 and 21 bonus items are listed",
        ),
    ]
    assert counts([report])["warned"] == 1
