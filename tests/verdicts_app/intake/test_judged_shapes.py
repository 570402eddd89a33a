"""Judges' results of other tools, shape by shape: what is recomputed, what is kept as stated."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from judgeweb.judging.types import EvidenceState, Flag
from verdicts_app.intake import strict_json
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged import SHEETS, document
from verdicts_app.intake.judged.types import Given, Judged
from verdicts_app.intake.strict_json import EXACT_DECODER


def exact(value: Any) -> Any:
    """The document as an upload of its JSON text gives it."""
    return strict_json.parse(json.dumps(value), decoder=EXACT_DECODER)


def read(value: Any, *, is_verdict: bool = False, **given: Any) -> Judged:
    return document.read(exact(value), Given(**given), is_verdict=is_verdict)[1]


def shape(value: Any, *, is_verdict: bool = False) -> str:
    return document.read(exact(value), Given(), is_verdict=is_verdict)[0]


def stated(judged: Judged) -> dict[str, tuple[str, str, bool]]:
    return {one.name: (one.stated, one.computed, one.differs) for one in judged.verdict.stated}


MARKS = {
    "scores": {
        "correctness": {"value": 8, "reasoning": "Right cause."},
        "depth": {"value": 7, "reasoning": "Little on retries."},
        "quality": {"value": 9, "reasoning": "Clear."},
        "persona": {"value": 8, "reasoning": "In voice."},
    },
    "weighted_total": 80.0,
    "assessment": "Good.",
}
FINDINGS = {
    "baseline_findings": [
        {"id": "C1", "severity": "critical", "found": True, "evidence": "the lock is held"},
        {"id": "H1", "severity": "high", "found": False, "evidence": None},
        {"id": "M1", "severity": "medium", "found": True, "evidence": "no test"},
    ],
    "novel_findings": [{"description": "Typo", "valid": True, "reasoning": "It is one."}],
    "false_positives": [{"claim": "leaks", "why_invalid": "closed in the finally"}],
    "quality": {"clear_explanations": 8, "actionable_fixes": 7, "subtotal": 18.75},
    "persona": {"in_character": 9, "professional_tone": 8, "subtotal": 21.25},
    "weighted_total": 71,
}
BEHAVIOURS = {
    "baseline_behaviors": [
        {"id": f"B{n}", "category": "voice", "demonstrated": n <= 8, "evidence": None}
        for n in range(1, 11)
    ],
    "bonus_behaviors": [
        {"id": f"X{n}", "category": "more", "demonstrated": True} for n in range(1, 3)
    ],
    "execution": {"baseline_count": 8, "bonus_count": 2, "subtotal": 46},
    "quality": {"clear_actionable": 8, "well_structured": 7},
    "persona": {"in_character": 9, "enhances_delivery": 8},
    "weighted_total": 86.0,
}
SWEBENCH = {
    "instance_id": "tide__tide-7",
    "scores": {
        "root_cause": {"IDENTIFIES_BUG_LOCATION": 11.25, "EXPLAINS_WHY_BROKEN": 10.5},
        "fix_quality": {"FIX_ADDRESSES_ISSUE": 5.0, "FIX_SYNTAX_CORRECT": 10, "subtotal": 15.5},
        "completeness": {"EDGE_CASES": 4, "subtotal": 4},
        "persona": None,
    },
    "total": 40.8,
    "details": {"root_cause": ["Files: 2/2 found", "Key terms: 4/10"]},
}
PIPELINE = {
    "findings": [
        {"finding_id": "F1", "title": "Lock", "weight": 8, "caught": True, "votes": "2/3"},
        {"finding_id": "F2", "title": "Log", "weight": 5, "caught": True, "votes": "1/3"},
        {"finding_id": "F3", "title": "Test", "weight": 3, "caught": False, "votes": "0/3"},
    ],
    "total_caught": 2,
    "weighted_caught": 13,
    "total_weight": 17,
    "score_pct": 76.5,
    "judge_method": "majority_vote",
}


# --- J1, J2: words of the judge, with its object bare, fenced or in an envelope ------------------


@pytest.mark.parametrize(
    "words",
    [
        json.dumps(MARKS),
        f"```json\n{json.dumps(MARKS, indent=2)}\n```\n",
        f"I weighed {{speed}} and cost.\n\n```json\n{json.dumps(MARKS)}\n```\nDone.",
        json.dumps({"type": "result", "is_error": False, "result": json.dumps(MARKS)}),
        f"<thinking>{{}}</thinking>{json.dumps(MARKS)}",
    ],
)
@pytest.mark.parametrize("key", ["judge_response", "evaluation"])
def test_marks_are_read_from_the_judges_words(key: str, words: str) -> None:
    judged = read({key: words, "score": 80})
    assert judged.mode == "solo"
    assert judged.verdict.total == 80  # 2.5 x (8 + 7 + 9 + 8)
    assert judged.verdict.total_without_persona == 80  # (8 + 7 + 9) x 25 / 10 of 75, scaled to 100
    assert [mark.value for mark in judged.verdict.marks] == [8, 7, 9, 8]
    assert judged.verdict.marks[1].reasoning == "Little on retries."
    assert judged.verdict.flags == ()
    assert stated(judged) == {
        "weighted_total": ("80.0", "80", False),
        "score": ("80", "80", False),
    }


def test_stated_total_is_kept_beside_the_recomputed_one() -> None:
    judged = read({"judge_response": json.dumps({**MARKS, "weighted_total": 82.5}), "score": 80})
    assert judged.verdict.total == 80
    assert stated(judged)["weighted_total"] == ("82.5", "80", True)
    assert judged.verdict.flags == (Flag.STATED_DIFFERS,)


def test_numbers_never_go_through_binary_floats() -> None:
    text = json.dumps(MARKS).replace('"value": 7,', '"value": 7.10000000000000000001,')
    parsed = strict_json.parse(text, decoder=EXACT_DECODER)
    _, judged = document.read(parsed, Given(), is_verdict=False)
    assert judged.verdict.marks[1].value == Fraction("7.10000000000000000001")
    # 2.5 x (8 + 7.10000000000000000001 + 9 + 8)
    assert judged.verdict.total == Fraction("80.250000000000000000025")
    assert document.read({"judge_response": text}, Given(), is_verdict=False)[1] == judged


def test_values_may_stand_under_score_and_reasons_under_reason() -> None:
    scores = {key: {"score": 6, "reason": f"On {key}."} for key in MARKS["scores"]}
    judged = read({"evaluation": json.dumps({"scores": scores, "total": 60})})
    assert judged.verdict.total == 60
    assert judged.verdict.marks[0].reasoning == "On correctness."
    assert stated(judged)["total"] == ("60", "60", False)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (11, "must lie from 1 to 10, not 11"),
        (0, "must lie from 1 to 10, not 0"),
        (True, "must be a number, not true"),
        ("8/10", 'must be a number, not "8/10"'),
        (None, "depth is missing"),
    ],
)
def test_a_mark_outside_its_scale_is_refused_by_name(value: Any, said: str) -> None:
    scores = {**MARKS["scores"], "depth": {"value": value, "reasoning": "x"}}
    with pytest.raises(FieldRefused) as refused:
        read({"judge_response": json.dumps({**MARKS, "scores": scores}), "score": 80})
    assert said in refused.value.message
    assert "depth" in refused.value.message


def test_two_verdicts_that_differ_are_none() -> None:
    other = json.dumps(MARKS).replace('"value": 9', '"value": 2')
    with pytest.raises(FieldRefused, match=r"verdicts that differ"):
        read({"judge_response": f"{json.dumps(MARKS)} or rather {other}", "score": 80})


def test_an_envelope_of_a_failed_judge_is_refused() -> None:
    words = json.dumps({"type": "result", "is_error": True, "result": json.dumps(MARKS)})
    with pytest.raises(FieldRefused, match="own run failed"):
        read({"judge_response": words, "score": 80})


# --- checklist and behaviours --------------------------------------------------------------------


def test_checklist_is_recomputed_by_its_own_severities() -> None:
    judged = read({"evaluation": f"See below.\n```json\n{json.dumps(FINDINGS)}\n```"})
    verdict = judged.verdict
    assert judged.mode == "checklist"
    # C1 and M1 of C1, H1, M1: (15 + 5) / (15 + 10 + 5); precision 2 of 3 claims
    assert verdict.parts["recall"] == Fraction(2, 3)
    assert verdict.parts["precision"] == Fraction(2, 3)
    # 30 x 2/3 + 10 x 2/3 + 3 = 29.666..., + 18.75 + 21.25
    assert verdict.total == Fraction(89, 3) + 40
    assert stated(judged)["weighted_total"] == ("71", "69.666667", True)
    assert [(one.item_id, one.weight, one.found) for one in verdict.findings[:3]] == [
        ("C1", 15, True),
        ("H1", 10, False),
        ("M1", 5, True),
    ]
    # The answer is not here: no quote is called lost.
    assert {one.evidence_state for one in verdict.findings} == {EvidenceState.NONE}
    assert verdict.findings[0].evidence == "the lock is held"
    assert Flag.EVIDENCE_NOT_FOUND not in verdict.flags


def test_quotes_are_looked_up_where_the_answer_is_here() -> None:
    judged = read({"evaluation": json.dumps(FINDINGS)}, response="I see that the lock is held.")
    states = {one.item_id: one.evidence_state for one in judged.verdict.findings}
    assert states["C1"] is EvidenceState.VERIFIED
    assert states["M1"] is EvidenceState.NOT_FOUND
    assert Flag.EVIDENCE_NOT_FOUND in judged.verdict.flags


def test_empty_checklist_has_no_recall_and_no_total() -> None:
    judged = read({"evaluation": json.dumps({**FINDINGS, "baseline_findings": []})})
    assert judged.verdict.parts["recall"] is None
    assert judged.verdict.total is None
    assert stated(judged)["weighted_total"] == ("71", "", False)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"id": "A", "found": "true"}], 'found must be true or false, not "true"'),
        ([{"id": "A", "found": True}, {"id": "A", "found": False}], "id A is answered 2 times"),
        ([{"found": True}], "expected an id of 1 to 200 characters"),
        ("none", 'must be a list, not "none"'),
        ([7], "must be an object, not 7"),
    ],
)
def test_findings_that_cannot_be_read_are_refused(rows: Any, said: str) -> None:
    with pytest.raises(FieldRefused) as refused:
        read({"evaluation": json.dumps({**FINDINGS, "baseline_findings": rows})})
    assert said in refused.value.message


@pytest.mark.parametrize(
    "names",
    [("baseline_behaviors", "bonus_behaviors"), ("baseline_behaviours", "bonus_behaviours")],
)
def test_behaviours_in_both_spellings(names: tuple[str, str]) -> None:
    rows = {
        names[0]: BEHAVIOURS["baseline_behaviors"],
        names[1]: BEHAVIOURS["bonus_behaviors"],
    }
    rest = {key: value for key, value in BEHAVIOURS.items() if "behav" not in key}
    judged = read({"judge_response": json.dumps({**rows, **rest})})
    # min(5 x 8, 40) + min(3 x 2, 10) = 46, + 1.25 x 15 + 1.25 x 17
    assert (judged.mode, judged.verdict.total) == ("behaviours", 86)
    assert stated(judged)["execution.subtotal"] == ("46", "46", False)


# --- J4, J5: points ------------------------------------------------------------------------------


def test_points_of_25_with_their_maxima() -> None:
    scoring = {
        key: {"score": score, "max": 25, "reasoning": f"On {key}."}
        for key, score in zip(MARKS["scores"], (15, 18, 16, 20), strict=True)
    }
    judged = read({"rubric": "solo", "scoring": scoring, "total_score": 69, "total_max": 100})
    assert judged.verdict.total == 69
    assert judged.verdict.total_without_persona == Fraction(100 * 49, 75)
    assert judged.verdict.marks == ()  # they are no marks from 1 to 10
    assert judged.verdict.parts["depth"] == 18
    assert judged.verdict.working[0].note == "On correctness."
    assert stated(judged) == {
        "total_score": ("69", "69", False),
        "total_max": ("100", "100", False),
    }


def test_points_whose_plain_sum_is_the_total_have_25_each() -> None:
    scoring = dict(zip(MARKS["scores"], (8, 7, 9, 8), strict=True))
    judged = read({"scoring": scoring, "total_score": 32})
    assert (shape({"scoring": scoring, "total_score": 32}), judged.verdict.total) == ("points", 32)
    # The same numbers with 80 as total are marks.
    assert shape({"scoring": scoring, "total_score": 80}) == "marks"
    assert judged.parameters != read({"scoring": scoring, "total_score": 80}).parameters


def test_maxima_of_their_own_are_scaled_to_a_hundred() -> None:
    rows = [
        {"id": "NAMES_CAUSE", "points": 6, "max_points": 8, "reason": "Half."},
        {"id": "GIVES_FIX", "points": 1.5, "max_points": 4},
    ]
    judged = read({"criteria": rows, "score_pct": 62.5, "total": 7.5})
    # 7.5 of 12
    assert judged.verdict.total == Fraction("62.5")
    assert stated(judged) == {"total": ("7.5", "7.5", False), "score_pct": ("62.5", "62.5", False)}


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"score": 26, "max": 25}, "style"),
        ({"score": -1, "max": 25}, "style"),
        ({"score": 1, "max": 0}, "style.max"),
        ({"score": 3}, "style.max"),
        ({"max": 25}, "style"),
        ({"score": "lots", "max": 25}, "style"),
    ],
)
def test_points_beyond_their_maximum_are_refused(row: dict[str, Any], field: str) -> None:
    scoring = {"form": {"score": 1, "max": 2}, "style": row}
    with pytest.raises(FieldRefused) as refused:
        read({"scoring": scoring, "total_score": 9})
    assert refused.value.field == field


# --- J6, J7, J8: categories of criteria -----------------------------------------------------------


def test_own_rubric_is_of_a_hundred_or_of_the_scenarios_weights() -> None:
    scores = {"cause": {"FINDS": 10, "NAMES": 5, "subtotal": 15}, "tests": {"RUNS": 15}}
    judged = read({"judge_response": json.dumps({"scores": scores, "total": 30})})
    assert (judged.mode, judged.verdict.total) == ("solo", 30)
    assert judged.verdict.total_without_persona is None
    weights = {"categories": [{"name": "cause", "weight": 20}, {"name": "tests", "weight": 20}]}
    known = read({"judge_response": json.dumps({"scores": scores, "total": 30})}, scoring=weights)
    assert known.verdict.total == 75  # 30 of 40
    assert stated(known)["total"] == ("30", "75", True)


def test_swebench_without_persona_is_of_what_could_be_observed() -> None:
    judged = read(SWEBENCH)
    assert judged.mode == "swebench"
    # 21.75 of 30, 15 of 40, 4 of 20; persona was not judged: of 90
    assert judged.verdict.total == Fraction("40.75") * 100 / 90
    assert judged.verdict.parts == {
        "root_cause": Fraction("21.75"),
        "fix_quality": 15,
        "completeness": 4,
    }
    assert judged.verdict.working[0].note == "Files: 2/2 found; Key terms: 4/10"
    assert stated(judged)["fix_quality.subtotal"] == ("15.5", "15", True)
    assert stated(judged)["total"] == ("40.8", "45.277778", True)


def test_ground_truth_may_give_bare_points() -> None:
    scores = {
        "file_identification": 20,
        "location_identification": 12.5,
        "fix_logic_match": 30,
        "completeness": 10,
    }
    judged = read({"instance_id": "tide__tide-7", "scores": scores, "total": 72.5})
    assert (judged.mode, judged.verdict.total) == ("ground-truth", Fraction("72.5"))
    assert judged.verdict.total_without_persona == Fraction("72.5")
    with pytest.raises(FieldRefused) as refused:
        read({"scores": {**scores, "completeness": 21}, "total": 83.5})
    assert refused.value.field == "scores.completeness"


# --- J9: pipeline findings ----------------------------------------------------------------------


def test_votes_decide_and_weights_are_counted() -> None:
    judged = read(PIPELINE)
    # F1 has 2 of 3 votes, F2 one: 8 of 16
    assert (judged.mode, judged.verdict.total) == ("checklist", 50)
    assert [one.found for one in judged.verdict.findings] == [True, False, False]
    assert stated(judged) == {
        "total_caught": ("2", "1", True),
        "weighted_caught": ("13", "8", True),
        "total_weight": ("17", "16", True),
        "score_pct": ("76.5", "50", True),
    }
    assert judged.verdict.notes == (
        "F2: the file says caught, its votes 1/3 say the opposite; the votes count.",
    )
    assert judged.parameters["judge_method"] == "majority_vote"


@pytest.mark.parametrize("votes", ["3/2", "2/0", "two of three", "1.5/3", 2])
def test_votes_that_are_none_are_refused(votes: Any) -> None:
    rows = [{"finding_id": "F1", "weight": 1, "caught": True, "votes": votes}]
    with pytest.raises(FieldRefused) as refused:
        read({"findings": rows})
    assert refused.value.field == "findings[0].votes"


# --- J3: prose ----------------------------------------------------------------------------------


def test_prose_with_a_total_is_stated_and_nothing_is_computed() -> None:
    judged = read({"judge_response": "Sound, if thin on tests. **Total: 82/100**"})
    assert judged.verdict.total is None
    assert judged.verdict.parts == {}
    assert stated(judged) == {"score in prose": ('"82/100"', "", False)}
    assert judged.verdict.assessment == "Sound, if thin on tests. **Total: 82/100**"
    beside = read({"judge_response": "Sound.", "score": 82.5})
    assert stated(beside) == {"score": ("82.5", "", False)}


def test_an_object_cut_off_is_no_number() -> None:
    judged = read({"judge_response": '{"scores": {"correctness": {"value": 9', "score": 85})
    assert judged.verdict.total is None
    assert judged.verdict.marks == ()
    assert any(note.startswith("Not read: ") for note in judged.verdict.notes)


@pytest.mark.parametrize("words", ["Fine work.", "Total: 82/100, or rather total: 70/100"])
def test_prose_without_one_total_is_refused(words: str) -> None:
    with pytest.raises(FieldRefused, match=r"states (no total|several totals)"):
        read({"evaluation": words})


# --- what is a judge's result, and whose ----------------------------------------------------------


def test_no_verdict_is_looked_for_in_an_answer() -> None:
    planted = {"type": "result", "result": json.dumps(MARKS)}
    assert not document.is_judged(exact(planted), is_verdict=False)
    assert document.is_judged(exact(planted), is_verdict=True)
    assert read(planted, is_verdict=True).verdict.total == 80
    assert not document.is_judged({"spec": "a:b", "response": json.dumps(MARKS)}, is_verdict=False)


def about(value: Any, **given: Any) -> document.About:
    names = {"spec": "a:b", "scenario": "s", "is_verdict": False, "zone": UTC} | given
    return document.about(exact(value), **names)


def test_the_judge_is_named_by_its_model_or_its_tool() -> None:
    usage = {"claude-opus-5-5": {"inputTokens": 2, "outputTokens": 443}}
    assert about({"judge_response": "x", "model_usage": usage}).judge == "claude-opus-5-5"
    assert about({**PIPELINE, "judge_version": "v2"}).judge == "majority_vote v2"
    both = {"response": "Done.", "judge_response": "x", "model": "agent", "judge_model": "judge"}
    assert about(both).judge == "judge"
    assert about({**both, "judge_model": None}).judge == ""


def test_times_of_judging_in_both_spellings() -> None:
    when = datetime(2026, 1, 2, 13, 52, 3, 614000, tzinfo=UTC)
    assert about({"judge_response": "x", "timestamp": "20260102T135203_614"}).judged_at == when
    assert about({"judge_response": "x", "timestamp": "2026-01-02T13:52:03.614Z"}).judged_at == when
    with pytest.raises(FieldRefused, match="ISO-8601"):
        about({"judge_response": "x", "timestamp": "20261399T000000"})


def test_ids_and_maps_of_agent_and_scenario() -> None:
    value = {
        "judge_response": "x",
        "run_number": 3,
        "agent": {"theme": "harbour", "role": "dev", "spec": "harbour:dev"},
        "scenario": {"name": "kiosk", "category": "dev"},
    }
    subject = about(value, spec="", scenario="").subject
    assert (subject.spec, subject.scenario, subject.source_id) == ("harbour:dev", "kiosk", "3")
    with pytest.raises(FieldRefused) as refused:
        about({"judge_response": "x"}, spec="")
    assert refused.value.field == "spec"


def test_every_shape_is_one_file_and_one_line() -> None:
    assert [sheet.__name__.rpartition(".")[2] for sheet in SHEETS.values()] == list(SHEETS)  # type: ignore[attr-defined]
    assert isinstance(exact({"a": 0.1})["a"], Decimal)
