"""Imported lists beside the scenario as it is published: severities, unknown and missing items."""

import json
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from judgeweb.judging.documents import ChecklistItem, ScenarioDocument
from rubrics_app.scenarios import save_scenario
from verdicts_app.api.verdicts import whole_out
from verdicts_app.boards.verdict_page import verdict_page
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import Upload, take_in
from verdicts_app.models import Verdict

pytestmark = pytest.mark.django_db
MARKS = {
    "quality": {"clear_explanations": 8, "actionable_fixes": 7},
    "persona": {"in_character": 9, "professional_tone": 8},
}


def item(name: str, category: str) -> ChecklistItem:
    return ChecklistItem(id=name, category=category, description=f"About {name}.")


def published(**lists: Any) -> None:
    save_scenario(ScenarioDocument(name="kiosk", challenge="Review.", **lists), user=None)


def issues() -> None:
    """15 + 10 + 5 = 30 points of weight."""
    published(
        baseline_issues=(item("A", "critical"), item("B", "high"), item("C", "medium")),
        bonus_issues=(item("X", "bonus"),),
    )


def row(name: str, *, found: bool = True, **more: Any) -> dict[str, Any]:
    return {"id": name, "found": found, "evidence": "so it says" if found else None, **more}


def checklist(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "run_id": "j-1",
        "spec": "harbour:dev",
        "scenario": "kiosk",
        "baseline_findings": list(rows),
        **MARKS,
        **more,
    }


def upload(document: Any, name: str = "judge.json") -> Receipt:
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    files = [UploadedFile(name, content)]
    how = Upload(spec="harbour:dev", scenario="kiosk", judge="some-judge")
    return take_in(run_id="history", files=files, user=None, actor="test", how=how)


def said(receipt: Receipt) -> list[tuple[str, str]]:
    """Place and words of the warnings, without the one on quotes that are not looked up."""
    assert receipt.refused == ()
    return [(one.place, one.text) for one in receipt.warnings if "quotes" not in one.text]


def detail(verdict: Verdict) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(verdict.detail)
    return found


def test_the_scenarios_severities_count_and_others_are_said_by_key() -> None:
    issues()
    receipt = upload(
        checklist(row("A", severity="low"), row("B", found=False, severity="HIGH"), row("C"))
    )

    assert said(receipt) == [
        (
            "",
            "baseline_findings[0].severity: A is 'low' here and 'critical' in the scenario, which "
            "counts",
        )
    ]
    verdict = Verdict.objects.get()
    # (15 + 5) of 30, where the document's own would give (2 + 5) of 17.
    assert detail(verdict)["parts"]["recall"] == "2/3"
    assert [(one.item_id, one.category, one.weight) for one in verdict.findings.all()] == [
        ("A", "critical", 15),
        ("B", "high", 10),
        ("C", "medium", 5),
    ]
    assert verdict.findings.all()[0].description == "About A."
    assert detail(verdict)["extra"]["scenario_revision"] == 1
    # 30 x 2/3 + 10 x 1 = 30, + 1.25 x 15 + 1.25 x 17
    assert verdict.total_exact == "70"


def test_an_item_that_the_scenario_does_not_have_is_noted_and_not_counted() -> None:
    issues()
    receipt = upload(
        checklist(row("A"), row("Z", severity="critical"), row("B", found=False), row("C"))
    )

    assert said(receipt) == [
        (
            "",
            "baseline_findings[1].id: 'Z' is no item of the scenario's baseline_issues: noted, not "
            "counted",
        )
    ]
    verdict = Verdict.objects.get()
    assert detail(verdict)["parts"]["recall"] == "2/3"
    assert "invented_id" in verdict.flags
    assert any('"Z"' in note for note in detail(verdict)["notes"])


def test_items_without_an_answer_are_named_and_nothing_is_made_up_for_them() -> None:
    issues()
    receipt = upload(checklist(row("A")))

    assert said(receipt) == [
        (
            "",
            "baseline_findings: does not answer for 2 of the scenario's 3 items (B, C): they are "
            "not counted",
        )
    ]
    verdict = Verdict.objects.get()
    assert detail(verdict)["parts"]["recall"] == "1"
    # What is not said to be found is 10 + 5 of the 30.
    assert (
        "Of the scenario's whole list the recall is at least 15 / 30 = 0.5."
        in detail(verdict)["notes"]
    )


def test_a_list_that_shares_nothing_is_another_list_and_stands() -> None:
    issues()
    receipt = upload(checklist(row("OLD-1", severity="critical"), row("OLD-2", found=False)))

    assert said(receipt) == [
        (
            "",
            "baseline_findings: shares no item with the scenario's baseline_issues: its own list "
            "counts",
        )
    ]
    # 15 of 15 + 5 (no severity)
    assert detail(Verdict.objects.get())["parts"]["recall"] == "3/4"


def test_a_scenario_without_such_a_list_is_said() -> None:
    published()
    receipt = upload(checklist(row("A", severity="critical")))
    assert said(receipt) == [
        ("", "baseline_findings: the scenario has no baseline_issues: its own list counts")
    ]


def test_a_scenario_that_is_not_known_says_nothing() -> None:
    receipt = upload(checklist(row("A", severity="low"), row("B", severity="low", found=False)))
    assert said(receipt) == []
    verdict = Verdict.objects.get()
    assert detail(verdict)["parts"]["recall"] == "1/2"
    assert "scenario_revision" not in detail(verdict)["extra"]


def test_bonus_items_are_held_against_the_bonus_list() -> None:
    issues()
    rows = (row("A"), row("B"), row("C"))
    receipt = upload(checklist(*rows, bonus_findings=[row("X"), row("Y")]))
    assert said(receipt) == [
        (
            "",
            "bonus_findings[1].id: 'Y' is no item of the scenario's bonus_issues: noted, not "
            "counted",
        )
    ]
    # 30 + 10 + 3, not + 6
    assert Fraction(detail(Verdict.objects.get())["parts"]["detection"]) == 43


def test_behaviours_are_held_against_theirs() -> None:
    published(baseline_criteria=(item("B1", "voice"), item("B2", "plan"), item("B3", "plan")))
    rows = [{"id": name, "demonstrated": True, "evidence": "q"} for name in ("B1", "B2", "B9")]
    receipt = upload(
        {
            "spec": "harbour:sm",
            "scenario": "kiosk",
            "baseline_behaviours": rows,
            "quality": {"clear_actionable": 8, "well_structured": 7},
            "persona": {"in_character": 9, "enhances_delivery": 8},
        }
    )
    assert [words.partition(":")[0] for _, words in said(receipt)] == [
        "baseline_behaviors[2].id",
        "baseline_behaviors",
    ]
    # 5 x 2, not 5 x 3
    assert detail(Verdict.objects.get())["parts"]["execution"] == "10"


def test_faults_in_yaml_are_told_by_line() -> None:
    issues()
    text = b"""baseline_findings:
- id: A
  severity: low
  found: false
- id: Z
  found: false
- {id: B, found: false}
- {id: C, found: false}
quality: {clear_explanations: 8, actionable_fixes: 7}
persona: {in_character: 9, professional_tone: 8}
"""
    assert [(place, words.partition(":")[0]) for place, words in said(upload(text, "j.yaml"))] == [
        ("line 3", "baseline_findings[0].severity"),
        ("line 5", "baseline_findings[1].id"),
    ]


def test_rows_of_a_table_are_held_against_the_scenario() -> None:
    issues()
    table = b"judge,scenario,contestant,item_id,severity,found,fp\n" + b"".join(
        b"j,kiosk,tool-1,%s,%s,%s,1\n" % one
        for one in ((b"A", b"low", b"1"), (b"B", b"high", b"0"), (b"Z", b"critical", b"1"))
    )
    receipt = upload(table, "findings.csv")
    assert [words.partition(":")[0] for _, words in said(receipt)] == [
        "item_id A.severity",
        "item_id Z.id",
        "item_id",
    ]
    verdict = Verdict.objects.get()
    # 15 of 15 + 10; 1 found, 1 false claim
    assert detail(verdict)["parts"]["recall"] == "3/5"
    assert detail(verdict)["parts"]["precision"] == "1/2"


def test_findings_of_a_pipeline_keep_their_weights() -> None:
    issues()
    rows = [
        {"finding_id": "A", "weight": 8, "caught": True},
        {"finding_id": "Z", "weight": 2, "caught": False},
    ]
    receipt = upload({"findings": rows, "run_id": "p", "spec": "a:b", "scenario": "kiosk"})
    assert [words.partition(":")[0] for _, words in said(receipt)] == ["findings[1].id", "findings"]
    # 8 of 10
    assert Verdict.objects.get().total_exact == "80"


def test_an_empty_checklist_has_no_recall_on_page_and_in_the_api(make_user: Any) -> None:
    """Case 31: null, not 0 and not 1, whatever was reported beside it."""
    issues()
    novel = [{"description": f"N{n}", "valid": True, "evidence": "q"} for n in range(3)]
    for number, claims in enumerate(([], novel)):
        upload(checklist(run_id=f"e-{number}", novel_findings=claims, false_positives=[]))
    for verdict in Verdict.objects.all():
        assert (verdict.total_exact, verdict.total_nano) == ("", None)
        page = verdict_page(verdict.pk)
        assert page is not None
        found = whole_out(page)
        assert [found["parts"][key] for key in ("recall", "f2", "detection")] == [None, None, None]
        assert found["total"] is None
    reader = Client()
    reader.force_login(make_user("viewer"))
    shown = reader.get(f"/verdicts/{Verdict.objects.all()[0].pk}/").content.decode()
    assert "recall, detection and total are undefined" in shown


def test_importing_again_after_the_scenario_changed_changes_nothing() -> None:
    issues()
    document = checklist(row("A"), row("B"), row("C", found=False))
    upload(document)
    before = list(Verdict.objects.values())
    published(baseline_issues=(item("A", "low"), item("B", "low"), item("C", "critical")))
    receipt = upload(document)
    assert (receipt.duplicate, receipt.verdicts, receipt.warnings) == (1, 0, ())
    assert list(Verdict.objects.values()) == before
