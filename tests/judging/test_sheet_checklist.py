"""Arithmetic of the checklist sheet. Case numbers are those of the bug reports."""

import json
from decimal import Decimal
from fractions import Fraction

from judgeweb.judging.arithmetic import round_half_up
from judgeweb.judging.documents import ChecklistItem
from judgeweb.judging.types import (
    Flag,
    UnjudgedReason,
    Verdict,
)
from tests.judging.world import (
    case,
    case_text,
    checklist,
    checklist_reply,
    outcome_of,
    scenario,
    verdict_of,
)

# 6 critical, 6 high, 8 medium, 2 low: 6x15 + 6x10 + 8x5 + 2x2 = 194
# found 5, 4, 3, 1: 75 + 40 + 15 + 2 = 132
GOLDEN = {"C1", "C2", "C3", "C4", "C5", "H1", "H2", "H3", "H4", "M1", "M2", "M3", "L1"}
NOVEL = [
    {"description": "mail before commit", "valid": True, "reasoning": "r"},
    {"description": "currency from the request", "valid": True, "reasoning": "r"},
]
FALSE = [{"claim": "The webhook is unsigned", "why_invalid": "line 88 verifies it"}]


def golden(**more: object) -> Verdict:
    about = checklist()
    reply = checklist_reply(about, GOLDEN, novel_findings=NOVEL, false_positives=FALSE)
    return verdict_of(about, {**reply, **more})


def test_checklist_golden() -> None:
    # recall 132/194; precision 13/14; detection 30r + 10p + 6; quality 1.25 x 15; persona 1.25 x 17
    verdict = golden()

    assert verdict.parts["recall"] == Fraction(132, 194)
    assert verdict.parts["precision"] == Fraction(13, 14)
    assert round_half_up(verdict.parts["f2"] or Fraction(0), 6) == "0.718834"
    assert round_half_up(verdict.parts["detection"] or Fraction(0), 6) == "35.698085"
    assert verdict.parts["quality"] == Fraction(75, 4)
    assert verdict.parts["persona"] == Fraction(85, 4)
    assert verdict.total is not None
    assert round_half_up(verdict.total, 6) == "75.698085"
    # (35.698085 + 18.75) x 100 / 75
    assert round_half_up(verdict.total_without_persona or Fraction(0), 1) == "72.6"


def test_checklist_working_is_written_out() -> None:
    working = {step.name: step for step in golden().working}

    assert list(working) == [
        "recall",
        "precision",
        "f2",
        "detection",
        "quality",
        "persona",
        "total",
    ]
    assert working["recall"].expression == (
        "(5×15 + 4×10 + 3×5 + 1×2) / (6×15 + 6×10 + 8×5 + 2×2) = 132 / 194"
    )
    assert working["precision"].expression == "13 / (13 + 1 false positive) = 13 / 14"
    assert working["f2"].note == "shown only"
    assert working["detection"].expression == (
        "30×0.680412 + 10×0.928571 + min(3×2, 10) = 20.412371 + 9.285714 + 6"
    )
    assert working["quality"].expression == "1.25×8 + 1.25×7"
    assert working["total"].expression == "35.698085 + 18.75 + 21.25"


def test_case_28_sample_figures_are_compared_and_never_used() -> None:
    detection = {
        "by_severity": {"critical": {"found": 5, "total": 6}, "low": {"found": 2, "total": 2}},
        "novel_valid": 2,
        "false_positive_count": 1,
        "metrics": {
            "weighted_found": 98,
            "weighted_total": 120,
            "recall": 0.817,
            "precision": 0.929,
            "f2_score": 0.843,
        },
        "components": {"recall_score": 24.5, "precision_score": 9.3, "novel_bonus": 6.0},
        "subtotal": 39.8,
    }
    verdict = golden(detection=detection, weighted_total=79.8)
    differs = {one.name for one in verdict.stated if one.differs}

    assert round_half_up(verdict.total or Fraction(0), 3) == "75.698"
    assert Flag.STATED_DIFFERS in verdict.flags
    assert differs == {
        "weighted_total",
        "detection.subtotal",
        "detection.by_severity.low.found",
        "detection.metrics.weighted_found",
        "detection.metrics.weighted_total",
        "detection.metrics.recall",
        "detection.metrics.f2_score",
        "detection.components.recall_score",
    }


def test_case_29_f2_prints_as_0_719() -> None:
    # p = 13/14, r = 132/194: 5pr / (4p + r) = 0.718834
    assert round_half_up(golden().parts["f2"] or Fraction(0), 3) == "0.719"


def test_case_31_empty_checklist_is_refused_before_any_request() -> None:
    outcome, ask = outcome_of(case("checklist", scenario()))

    assert getattr(outcome, "reason", None) is UnjudgedReason.CASE_REFUSED
    assert "refunds" in getattr(outcome, "detail", "")
    assert ask.asked == []


def test_case_32_silent_response_gets_no_precision() -> None:
    about = checklist(critical=6)
    verdict = verdict_of(about, checklist_reply(about, set()))
    precision = next(step for step in verdict.working if step.name == "precision")

    assert verdict.parts["recall"] == 0
    assert verdict.parts["precision"] is None
    assert verdict.parts["f2"] == 0
    assert verdict.parts["detection"] == 0
    assert precision.value is None
    assert precision.expression == "0 / (0 + 0 false positives) = 0 / 0"


def test_case_34_novel_bonus_is_counted_from_the_list_and_capped() -> None:
    stored = json.loads(case_text("034_novel.json"))
    about = checklist(critical=1)
    verdict = verdict_of(about, checklist_reply(about, {"C1"}, **stored))

    # 30x1 + 10x(1 / (1 + 1 invalid)) + min(4x3, 10) = 30 + 5 + 10
    assert verdict.parts["detection"] == 45
    assert [one.differs for one in verdict.stated] == [True]


def test_case_34_impossible_summary_is_ignored_and_flagged() -> None:
    about = checklist(critical=1)
    reply = checklist_reply(about, {"C1"}, detection={"novel_valid": -1})

    verdict = verdict_of(about, reply)
    assert verdict.parts["detection"] == 40
    assert Flag.STATED_DIFFERS in verdict.flags


def test_bonus_findings_share_the_cap_with_novel_ones() -> None:
    about = checklist(bonus=2, critical=1)
    reply = checklist_reply(about, {"C1", "B1", "B2"}, novel_findings=NOVEL)

    # 30 + 10 + min(3 x (2 + 2), 10)
    assert verdict_of(about, reply).parts["detection"] == 50


def test_bonus_id_in_the_baseline_list_is_answered_all_the_same() -> None:
    about = checklist(bonus=1, critical=1)
    reply = checklist_reply(about, {"C1", "B1"})
    reply["baseline_findings"] += reply.pop("bonus_findings")
    reply["bonus_findings"] = []

    assert verdict_of(about, reply).parts["detection"] == 43


def test_false_claims_with_the_same_quote_count_once() -> None:
    about = checklist(critical=1)
    false = [
        {"claim": "a", "evidence": "never  released", "why_invalid": "r"},
        {"claim": "b", "evidence": "never released", "why_invalid": "r"},
        {"claim": "c", "evidence": None, "why_invalid": "r"},
        {"claim": "", "why_invalid": "r"},
        {"claim": "", "why_invalid": "r"},
    ]
    novel = [{"description": "c", "evidence": "", "valid": False, "reasoning": "r"}]
    verdict = verdict_of(
        about, checklist_reply(about, {"C1"}, false_positives=false, novel_findings=novel)
    )

    # false: the quote, "c" (twice the same words), two that quote nothing = 4; 1 / (1 + 4)
    assert verdict.parts["precision"] == Fraction(1, 5)


def test_severity_comes_from_the_scenario() -> None:
    about = checklist(critical=1, low=1)
    reply = checklist_reply(about, {"L1"})
    reply["baseline_findings"][1]["severity"] = "critical"
    verdict = verdict_of(about, reply)

    assert verdict.parts["recall"] == Fraction(2, 17)
    assert verdict.notes == ('L1 is low in the scenario, "critical" in the reply.',)


def test_other_categories_weigh_5_and_severities_are_read_in_any_case() -> None:
    issues = (
        ChecklistItem(id="a", category="CRITICAL", description="d"),
        ChecklistItem(id="b", category="happy_path", description="d"),
        ChecklistItem(id="c", category="v1.2", description="d"),
    )
    about = case("checklist", scenario(baseline_issues=issues))
    verdict = verdict_of(about, checklist_reply(about, {"b"}))

    assert verdict.parts["recall"] == Fraction(5, 25)
    assert [one.weight for one in verdict.findings] == [15, 5, 5]


def test_weights_of_detection_scale_its_points() -> None:
    about = checklist(critical=1)
    dimensions = tuple(
        one.model_copy(update={"weight": Decimal(weight)})
        for one, weight in zip(about.rubric.dimensions, ("60", "20", "20"), strict=True)
    )
    scaled = case(
        "checklist",
        about.scenario,
        rubric=about.rubric.model_copy(update={"dimensions": dimensions}),
    )
    verdict = verdict_of(scaled, checklist_reply(scaled, {"C1"}))

    # 60 x 40 / 50 = 48; 20 x 15 / 20 = 15; 20 x 17 / 20 = 17
    assert verdict.total == 80
    assert verdict.working[3].expression == (
        "60/50 × (30×1 + 10×1 + min(3×0, 10)) = 60/50 × (30 + 10 + 0)"
    )
