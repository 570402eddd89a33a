"""Verdicts made elsewhere, stored: once each, beside their answer, in an epoch of their own."""

import json
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from judgeweb.access.models import AuditEntry
from tests.factories import make_scenario
from verdicts_app.intake import linking
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import Upload, take_in
from verdicts_app.models import (
    Epoch,
    ImportedDocument,
    Origin,
    Persona,
    Response,
    ResponseOutcome,
    Run,
    Verdict,
)
from verdicts_app.work.board_sums import stored_sums, sums_of_verdicts
from verdicts_app.work.plan import plan_job
from verdicts_app.work.recompute import Recomputed, recompute
from verdicts_app.work.request import JudgeRequest

pytestmark = pytest.mark.django_db
MARKS = {
    "scores": {
        key: {"value": value, "reasoning": "So."}
        for key, value in (("correctness", 8), ("depth", 7), ("quality", 9), ("persona", 8))
    },
    "weighted_total": 81,
}
FINDINGS = {
    "baseline_findings": [{"id": "A", "severity": "high", "found": True, "evidence": "is held"}],
    "novel_findings": [],
    "false_positives": [],
    "quality": {"clear_explanations": 8, "actionable_fixes": 7},
    "persona": {"in_character": 9, "professional_tone": 8},
}


def wrapper(number: int = 1, words: Any = MARKS, **change: Any) -> dict[str, Any]:
    return {
        "run_id": f"id-{number}",
        "spec": "harbour:dev",
        "scenario": "ticket-kiosk",
        "timestamp": "2026-01-25T22:54:44Z",
        "judge_response": json.dumps(words),
        "score": 80,
        "model_usage": {"claude-opus-5-5": {"inputTokens": 2, "outputTokens": 443}},
        "cost_usd": 0.0861,
    } | change


def answer(number: int = 1, **change: Any) -> dict[str, Any]:
    return {
        "run_id": f"id-{number}",
        "spec": "harbour:dev",
        "scenario": "ticket-kiosk",
        "timestamp": "2026-01-20T10:00:00Z",
        "response": "The lock is held.",
    } | change


def upload(*documents: Any, run_id: str = "history", dry_run: bool = False, **how: Any) -> Receipt:
    files = [
        d if isinstance(d, UploadedFile) else UploadedFile(f"{n}.json", json.dumps(d).encode())
        for n, d in enumerate(documents, 1)
    ]
    return take_in(
        run_id=run_id,
        files=files,
        user=None,
        actor="test",
        how=Upload(**how),
        dry_run=dry_run,
    )


def test_a_verdict_stands_in_an_imported_epoch_of_its_judge() -> None:
    make_scenario("ticket-kiosk")
    receipt = upload(wrapper())
    assert (receipt.verdicts, receipt.accepted, receipt.refused) == (1, 0, ())
    verdict = Verdict.objects.get()
    assert (verdict.origin, verdict.mode, verdict.on_board) == (Origin.IMPORTED, "solo", True)
    # 2.5 x (8 + 7 + 9 + 8)
    assert (verdict.total_exact, verdict.total_nano) == ("80", 80 * 10**9)
    assert verdict.persona.spec == "harbour:dev"
    assert verdict.scenario.key == "ticket-kiosk"
    assert verdict.judged_at.isoformat() == "2026-01-25T22:54:44+00:00"
    assert (verdict.cost_nano_usd, verdict.output_tokens) == (86_100_000, 443)
    epoch = verdict.epoch
    assert (epoch.origin, epoch.rubric_revision, epoch.requested_model) == (
        "imported",
        None,
        "claude-opus-5-5",
    )
    assert epoch.prompt_version == "imported: marks"
    assert [mark.value_exact for mark in verdict.marks.all()] == ["8", "7", "9", "8"]
    assert verdict.flags == "stated_differs"
    assert json.loads(verdict.detail)["stated"] == [
        {"name": "weighted_total", "stated": "81", "computed": "80", "differs": True},
        {"name": "score", "stated": "80", "computed": "80", "differs": False},
    ]
    assert [line.text for line in receipt.warnings] == [
        "states what its marks do not give: weighted_total 81 (computed: 80); both are kept"
    ]
    entry = AuditEntry.objects.get()
    assert entry.detail.endswith("1 verdicts made elsewhere")


def test_it_keeps_its_document_with_exact_numbers() -> None:
    text = json.dumps(wrapper()).replace("0.0861", "0.08610")
    upload(UploadedFile("judge.json", text.encode()))
    kept = ImportedDocument.objects.get()
    assert (kept.shape, kept.file, kept.place) == ("marks", "judge.json", "")
    assert '"cost_usd":0.08610' in kept.document
    assert json.loads(kept.document) == wrapper()


def test_importing_again_changes_nothing() -> None:
    first = upload([wrapper(1), wrapper(2)], wrapper(3, words=FINDINGS))
    rows = list(Verdict.objects.values())
    second = upload([wrapper(2), wrapper(1)], wrapper(3, words=FINDINGS))
    assert (first.verdicts, second.verdicts, second.duplicate) == (3, 0, 3)
    assert [file.outcome for file in second.files] == ["read", "read"]
    assert list(Verdict.objects.values()) == rows


def test_changed_content_of_the_same_id_is_reported_and_the_first_stands() -> None:
    upload(wrapper())
    receipt = upload(wrapper(score=90))
    assert receipt.verdicts == receipt.duplicate == 0
    (refusal,) = receipt.refused
    assert refusal.field == "run_id"
    assert "another verdict of claude-opus-5-5 on 'id-1' is stored" in refusal.reason
    assert receipt.files[0].outcome == "refused"


def test_of_several_judgings_of_one_answer_the_latest_is_on_the_board() -> None:
    later = wrapper(timestamp="2026-02-01T00:00:00Z")
    upload(later)
    upload(wrapper())
    upload(wrapper(timestamp="2026-01-30T00:00:00Z"))
    on_board = Verdict.objects.filter(on_board=True)
    assert [verdict.judged_at.date().isoformat() for verdict in on_board] == ["2026-02-01"]
    assert Verdict.objects.filter(superseded_at=None).count() == 3


def test_two_judges_and_two_scales_share_no_epoch() -> None:
    points = {"scoring": {"a": {"score": 1, "max": 2}}, "total_score": 1}
    upload(wrapper(), wrapper(model="other-judge"), wrapper(2, words=points))
    assert Epoch.objects.count() == 3
    assert Verdict.objects.filter(on_board=True).count() == 3


def test_it_stands_on_the_answer_of_its_id_and_quotes_are_looked_up() -> None:
    receipt = upload(wrapper(words=FINDINGS), answer())
    assert (receipt.accepted, receipt.verdicts) == (1, 1)
    verdict = Verdict.objects.get()
    assert verdict.response.text == "The lock is held."
    assert verdict.answered_at.isoformat() == "2026-01-20T10:00:00+00:00"
    finding = verdict.findings.get()
    assert (finding.evidence_state, finding.evidence_start) == ("verified", 9)


def test_an_absent_answer_is_judged_by_nobody_and_filled_when_it_comes() -> None:
    make_scenario("ticket-kiosk")
    upload(wrapper())
    absent = Response.objects.get()
    assert (absent.outcome, absent.text, absent.source_id) == (ResponseOutcome.ABSENT, "", "id-1")
    planned = plan_job(request=JudgeRequest(run_id="history"), user=None, actor="test")
    assert planned.job.judgements.count() == 0

    receipt = upload(answer())
    assert (receipt.accepted, receipt.duplicate) == (1, 0)
    filled = Response.objects.get()
    assert (filled.pk, filled.outcome, filled.text) == (absent.pk, "answered", "The lock is held.")
    assert Verdict.objects.get().response == filled
    assert upload(answer()).duplicate == 1


def test_a_document_may_carry_its_answer() -> None:
    both = wrapper(words=FINDINGS, response="Here the lock is held.", model="agent-1")
    receipt = upload(both)
    assert (receipt.accepted, receipt.verdicts) == (1, 1)
    verdict = Verdict.objects.get()
    assert verdict.response.text == "Here the lock is held."
    assert verdict.response.model == "agent-1"
    assert verdict.epoch.requested_model == ""
    assert verdict.findings.get().evidence_state == "verified"
    again = upload(both)
    assert (again.accepted, again.verdicts, again.duplicate) == (0, 0, 2)


def test_without_an_id_the_document_itself_is_the_id() -> None:
    anonymous = wrapper()
    del anonymous["run_id"]
    assert upload(anonymous).verdicts == 1
    assert upload(anonymous).duplicate == 1
    assert upload(anonymous | {"score": 79}).verdicts == 1


def test_an_unknown_scenario_is_listed_and_linked_later() -> None:
    receipt = upload(wrapper(), wrapper(2))
    assert receipt.unlinked == ("ticket-kiosk",)
    assert not Verdict.objects.filter(scenario__isnull=False).exists()
    scenario = make_scenario("ticket-kiosk")
    assert linking.link_unlinked() == 2
    assert {verdict.scenario for verdict in Verdict.objects.all()} == {scenario}


@pytest.mark.parametrize("change", [{"total_exact": "99", "total_nano": 99}, {"detail": "{}"}])
def test_an_imported_verdict_never_changes(change: dict[str, Any]) -> None:
    upload(wrapper())
    with pytest.raises(IntegrityError), transaction.atomic():
        Verdict.objects.update(**change)


def test_its_scenario_is_linked_once_and_its_document_stays() -> None:
    make_scenario("ticket-kiosk")
    other = make_scenario("other")
    upload(wrapper())
    with pytest.raises(IntegrityError), transaction.atomic():
        Verdict.objects.update(scenario=other)
    with pytest.raises(IntegrityError), transaction.atomic():
        ImportedDocument.objects.update(document="{}")


def test_a_dry_run_reports_and_stores_nothing() -> None:
    receipt = upload(wrapper(), answer(2), {"nothing": 1}, dry_run=True)
    assert (receipt.verdicts, receipt.accepted, len(receipt.refused)) == (1, 1, 1)
    assert receipt.dry_run
    assert [file.outcome for file in receipt.files] == ["warned", "read", "refused"]
    for model in (Run, Response, Verdict, Persona, Epoch, AuditEntry):
        assert not model.objects.exists()


def test_an_envelope_is_an_answer_unless_its_sender_says_otherwise() -> None:
    envelope = {"type": "result", "is_error": False, "result": json.dumps(MARKS)}
    names = {"spec": "harbour:dev", "scenario": "ticket-kiosk"}
    assert upload(envelope, **names).accepted == 1
    assert not Verdict.objects.exists()
    receipt = upload(envelope, run_id="judged", is_verdict=True, judge="some-judge", **names)
    assert (receipt.accepted, receipt.verdicts) == (0, 1)
    assert Verdict.objects.get().epoch.requested_model == "some-judge"


def test_a_judges_own_text_needs_its_sender_to_say_so() -> None:
    prose = f"I read it twice.\n\n```json\n{json.dumps(MARKS)}\n```\n".encode()
    names = {"spec": "harbour:dev", "scenario": "ticket-kiosk"}
    assert upload(UploadedFile("a.md", prose), **names).refused[0].reason.startswith("plain text")
    assert upload(UploadedFile("a.md", prose), is_verdict=True, **names).verdicts == 1


def test_stated_alone_gives_no_total() -> None:
    receipt = upload(wrapper(judge_response="Sound work, all in all."))
    verdict = Verdict.objects.get()
    assert (verdict.total_nano, verdict.total_exact, verdict.on_board) == (None, "", True)
    assert [line.text for line in receipt.warnings] == [
        "no total is computed: what it states is kept as said"
    ]


def test_faults_of_yaml_name_line_and_key() -> None:
    text = b"""judge_method: majority_vote
findings:
- finding_id: F1
  weight: 5
  caught: true
- finding_id: F2
  weight: heavy
  caught: false
"""
    names = {"spec": "harbour:dev", "scenario": "ticket-kiosk"}
    (refusal,) = upload(UploadedFile("vote.yaml", text), **names).refused
    assert (refusal.place, refusal.field) == ("line 7", "findings[1].weight")
    assert refusal.reason == 'expected a number, not "heavy"'
    good = text.replace(b"heavy", b"3")
    assert upload(UploadedFile("vote.yaml", good), **names).verdicts == 1
    # 5 of 8
    assert Verdict.objects.get().total_exact == "125/2"


def test_recompute_leaves_verdicts_without_pinned_documents_out() -> None:
    upload(wrapper())
    counts = Recomputed()
    assert list(recompute(counts)) == []
    assert (counts.verdicts, counts.left_out) == (0, 1)


def test_sums_under_the_boards_follow_every_step() -> None:
    """Imported before its scenario and its answer: linked, filled, judged again."""
    upload(wrapper())
    assert stored_sums() == {}
    make_scenario("ticket-kiosk")
    upload(answer(model="agent-1"))
    upload(wrapper(timestamp="2026-02-01T00:00:00Z", words={**MARKS, "weighted_total": 80}))
    sums = stored_sums()
    assert sums == sums_of_verdicts()
    # One run of 80 points in four spans, under the model of the answer that came later.
    assert {(bucket.model, one.runs, one.total) for bucket, one in sums.items()} == {
        ("agent-1", 1, 80 * 10**9 * 60)
    }
    assert len(sums) == 4
