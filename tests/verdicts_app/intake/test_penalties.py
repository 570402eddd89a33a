"""A scenario's rubric of penalties: start 100, lowest triggered cap, minus deductions, floor 20."""

import json
from fractions import Fraction
from typing import Any

import pytest

from verdicts_app.intake import strict_json
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged import document
from verdicts_app.intake.judged.types import Given, Judged
from verdicts_app.intake.strict_json import EXACT_DECODER

SCORING = {
    "categories": [
        {
            "name": "fatal_errors",
            "penalties": [
                {"id": "PLEASES_ALL", "description": "Promises all of it", "cap_at": 45},
                {"id": "IGNORES_SUMS", "cap_at": 55},
            ],
        },
        {
            "name": "major",
            "penalties": [{"id": "NO_ODDS", "deduct": 15}, {"id": "GENERIC", "deduct": 10}],
        },
        {"name": "minor", "penalties": [{"id": "NO_SCRIPT", "deduct": 5}]},
        {"name": "expected", "baseline": ["Names the odds"]},
    ]
}
IDS = ("PLEASES_ALL", "IGNORES_SUMS", "NO_ODDS", "GENERIC", "NO_SCRIPT")


def read(value: Any, *, scoring: Any = SCORING) -> Judged:
    exact = strict_json.parse(json.dumps(value), decoder=EXACT_DECODER)
    return document.read(exact, Given(scoring=scoring), is_verdict=False)[1]


def stated(judged: Judged) -> dict[str, tuple[str, str, bool]]:
    return {one.name: (one.stated, one.computed, one.differs) for one in judged.verdict.stated}


FORMS: dict[str, Any] = {
    "a list of ids": {"triggered": ["PLEASES_ALL", "NO_ODDS"]},
    "a list with reasons": {
        "penalties_applied": [{"id": "PLEASES_ALL", "reason": "It does."}, {"id": "NO_ODDS"}]
    },
    "all of them, with a boolean": {
        "penalties": [{"id": name, "triggered": name in ("PLEASES_ALL", "NO_ODDS")} for name in IDS]
    },
    "a map of booleans": {"penalties": {name: name in ("PLEASES_ALL", "NO_ODDS") for name in IDS}},
    "by category": {
        "scores": {
            "fatal_errors": {
                "PLEASES_ALL": {"triggered": True, "reason": "It does."},
                "IGNORES_SUMS": {"triggered": False},
            },
            "major": {"NO_ODDS": True, "GENERIC": False, "subtotal": -15},
            "minor": {"NO_SCRIPT": False},
        }
    },
}


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("is_fenced", [False, True])
def test_the_total_is_recomputed_from_what_was_triggered(form: str, is_fenced: bool) -> None:
    said = {**FORMS[form], "total": 45}
    judged = read(
        {"judge_response": f"So:\n```json\n{json.dumps(said)}\n```"}
        if is_fenced
        else {"judge_response": json.dumps(said)}
    )
    # The cap of 45, less 15.
    assert (judged.mode, judged.verdict.total) == ("solo", 30)
    assert judged.verdict.parts == {"cap": 45, "deductions": 15}
    assert stated(judged)["total"] == ("45", "30", True)
    assert [(one.name, one.expression) for one in judged.verdict.working] == [
        ("PLEASES_ALL", "caps at 45"),
        ("NO_ODDS", "deducts 15"),
        ("cap", "min(100, 45)"),
        ("deductions", "15"),
        ("total", "max(20, 45 − 15)"),  # noqa: RUF001
    ]
    assert judged.said == ()


@pytest.mark.parametrize(
    ("triggered", "total"),
    [
        ([], 100),
        (["NO_SCRIPT"], 95),
        (["IGNORES_SUMS"], 55),
        (["IGNORES_SUMS", "PLEASES_ALL"], 45),  # the lowest cap, whatever the order
        (["PLEASES_ALL", "IGNORES_SUMS", "NO_SCRIPT", "NO_SCRIPT"], 40),  # once
        (["PLEASES_ALL", "NO_ODDS", "GENERIC"], 20),
        (["PLEASES_ALL", "NO_ODDS", "GENERIC", "NO_SCRIPT"], 20),  # 15 is below the floor
    ],
)
def test_caps_deductions_and_floor(triggered: list[str], total: int) -> None:
    assert read({"triggered": triggered, "score": 1}).verdict.total == total


@pytest.mark.parametrize(
    "said",
    [
        {"penalties": {"PLEASES_ALL": True, "NO_ODDS": False}},  # nothing of the other three
        {"penalties": ["PLEASES_ALL"]},  # all of them, or those that were triggered?
        {"penalties": [{"id": name} for name in IDS]},
        {"scores": {"fatal_errors": {"PLEASES_ALL": 45}, "major": {"NO_ODDS": 15}}},
    ],
)
def test_where_it_is_not_said_what_was_triggered_nothing_is_computed(said: Any) -> None:
    judged = read({"judge_response": json.dumps({**said, "total": 62}), "score": 61})
    assert judged.verdict.total is None
    assert stated(judged) == {"total": ("62", "", False), "score": ("61", "", False)}
    assert any("Stated only" in note for note in judged.verdict.notes)


def test_without_the_scenario_the_costs_of_the_document_count() -> None:
    rows = [
        {"id": "A", "triggered": True, "cap_at": 60},
        {"id": "B", "triggered": True, "deduct": 7.5},
        {"id": "C", "triggered": False, "deduct": 30},
    ]
    judged = read({"penalties": rows, "total": 52.5}, scoring=None)
    assert judged.verdict.total == Fraction("52.5")
    assert stated(judged)["total"] == ("52.5", "52.5", False)
    nothing = read({"triggered": ["A"], "total": 40}, scoring=None)
    assert (nothing.verdict.total, stated(nothing)["total"]) == (None, ("40", "", False))


def test_what_differs_from_the_scenario_is_said_by_key() -> None:
    rows = [
        {"id": "PLEASES_ALL", "cap_at": 30},
        {"id": "MADE_UP", "deduct": 50},
        {"id": "NO_ODDS", "deduct": 15},
    ]
    judged = read({"triggered": rows, "total": 10})
    # The scenario's cap of 45, and nothing for what it does not have.
    assert judged.verdict.total == 30
    assert [tuple(one) for one in judged.said] == [
        (
            "triggered[0]",
            "PLEASES_ALL caps at 30 here and caps at 45 in the scenario, which counts",
        ),
        ("triggered[1]", "'MADE_UP' is no penalty of the scenario: noted, not counted"),
    ]
    assert "Not a penalty that is known here, not counted: MADE_UP" in judged.verdict.notes


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"penalties": {"NO_ODDS": "yes"}}, "penalties.NO_ODDS"),
        ({"penalties": [{"triggered": True}]}, "penalties[0].id"),
        ({"triggered": [7]}, "triggered[0].id"),
        ({"triggered": ["x" * 201]}, "triggered[0].id"),
        ({"triggered": [{"id": "A", "deduct": -5}]}, "triggered[0].deduct"),
        ({"triggered": [{"id": "A", "cap_at": 101}]}, "triggered[0].cap_at"),
        ({"triggered": ["NO_ODDS"], "penalties": {"NO_ODDS": False}}, "penalties.NO_ODDS"),
    ],
)
def test_what_cannot_be_read_is_refused_by_key(said: Any, field: str) -> None:
    with pytest.raises(FieldRefused) as refused:
        read({**said, "total": 50})
    assert refused.value.field == field


def test_an_answer_with_a_list_called_penalties_is_no_verdict() -> None:
    assert not document.is_judged({"response": "Done.", "penalties": ["A"]}, is_verdict=False)
