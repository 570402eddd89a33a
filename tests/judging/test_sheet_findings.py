"""Strict reading of findings and claims. Case numbers are those of the bug reports."""

import json
from fractions import Fraction

import pytest

from judgeweb.judging.types import (
    EvidenceState,
    Flag,
    UnjudgedReason,
)
from tests.judging.world import (
    case_reply,
    case_text,
    checklist,
    checklist_reply,
    outcome_of,
    unjudged_of,
    verdict_of,
)


def test_case_16_false_as_text_is_invalid() -> None:
    about = checklist(critical=2)
    reply = case_reply("016_false_string.json")

    unjudged = unjudged_of(about, reply, reply)
    assert unjudged.reason is UnjudgedReason.INVALID
    assert "id C1" in unjudged.detail


@pytest.mark.parametrize("second", [True, False])
def test_case_44_doubled_id_is_named_and_unjudged(second: bool) -> None:
    about = checklist(critical=1)
    rows = json.loads(case_text("044_dup_id.json"))
    rows[1]["found"] = second
    reply = checklist_reply(about, {"C1"}, baseline_findings=rows)
    outcome, ask = outcome_of(about, reply, reply)

    assert getattr(outcome, "reason", None) is UnjudgedReason.INCOMPLETE
    assert "id C1 is answered 2 times" in ask.asked[1].turns[0].correction
    assert len(ask.asked) == 2


def test_case_46_left_out_ids_are_named() -> None:
    about = checklist(critical=20)
    short = checklist_reply(about, set())
    short["baseline_findings"] = short["baseline_findings"][:18]
    outcome, ask = outcome_of(about, short, short)

    assert getattr(outcome, "reason", None) is UnjudgedReason.INCOMPLETE
    for missing in ("C19", "C20"):
        assert missing in getattr(outcome, "detail", "")
        assert missing in ask.asked[1].turns[0].correction


def test_claim_lists_left_out_claim_nothing_and_are_noted() -> None:
    about = checklist(critical=1)
    reply = checklist_reply(about, {"C1"})
    del reply["false_positives"], reply["novel_findings"]

    verdict = verdict_of(about, reply)

    # recall 1, precision 1/1: 30 + 10; quality and persona as in every reply of these tests.
    assert verdict.parts["detection"] == 40
    assert verdict.notes == (
        "The judge left novel_findings out: read as none.",
        "The judge left false_positives out: read as none.",
    )


def test_claims_of_the_wrong_shape_are_invalid() -> None:
    about = checklist(critical=1)
    reply = checklist_reply(
        about, {"C1"}, novel_findings=[{"description": "d"}], false_positives=["claim"]
    )

    assert unjudged_of(about, reply, reply).detail == (
        "an entry of novel_findings: valid is missing; "
        'an entry of false_positives must be an object, not "claim"'
    )


def test_rows_of_the_wrong_shape_are_invalid() -> None:
    about = checklist(critical=1)
    reply = checklist_reply(about, set(), baseline_findings=["C1", {"id": "C1"}])

    detail = unjudged_of(about, reply, reply).detail
    assert "an entry of baseline_findings must be an object" in detail
    assert "id C1: found is missing" in detail


def test_invented_ids_are_noted_and_never_counted() -> None:
    about = checklist(critical=1)
    reply = checklist_reply(about, {"C1"})
    reply["baseline_findings"].append({"id": "C9", "found": True, "evidence": "q"})
    verdict = verdict_of(about, reply)

    assert verdict.parts["recall"] == 1
    assert Flag.INVENTED_ID in verdict.flags
    assert verdict.notes == ('Not on the list, not counted: "C9"',)


def test_unknown_mark_is_noted() -> None:
    about = checklist(critical=1)
    reply = checklist_reply(
        about,
        {"C1"},
        quality={"clear_explanations": 8, "actionable_fixes": 7, "charm": 9, "subtotal": 18.75},
    )
    verdict = verdict_of(about, reply)

    assert verdict.flags == (Flag.UNKNOWN_DIMENSION,)
    assert verdict.notes == ('Not in the rubric, not counted: "charm" = 9',)
    assert [one.differs for one in verdict.stated] == [False]


def test_case_47_quote_is_looked_up() -> None:
    about = checklist("The lock is\n never released.", critical=3)
    reply = checklist_reply(about, set())
    quotes = ("lock is never released", "deadlock on line 40", None)
    for row, quote in zip(reply["baseline_findings"], quotes, strict=True):
        row.update(found=True, evidence=quote)
    verdict = verdict_of(about, reply)
    one, two, three = verdict.findings

    assert one.evidence_state is EvidenceState.VERIFIED
    assert one.evidence_at == (4, 27)
    assert two.evidence_state is EvidenceState.NOT_FOUND
    assert two.evidence_at is None
    assert three.evidence_state is EvidenceState.NONE
    assert verdict.parts["recall"] == 1
    assert set(verdict.flags) == {Flag.EVIDENCE_NOT_FOUND, Flag.FOUND_WITHOUT_EVIDENCE}


def test_marks_may_come_bare_or_with_reasons() -> None:
    about = checklist(critical=1)
    reply = checklist_reply(
        about,
        {"C1"},
        quality={
            "clear_explanations": {"reasoning": "why", "value": 8},
            "actionable_fixes": "7",
        },
    )
    verdict = verdict_of(about, reply)

    assert verdict.parts["quality"] == Fraction(75, 4)
    assert verdict.marks[0].reasoning == "why"
    assert verdict.marks[1].coerced
    assert Flag.COERCED in verdict.flags
