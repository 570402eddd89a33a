"""Shapes A1, A2, A3: what is read from each, and what is refused by which field."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from verdicts_app.intake import shapes
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.shapes import Answer, Summary
from verdicts_app.intake.usage import Usage
from verdicts_app.models import ResponseFlag, ResponseOutcome

A1: dict[str, Any] = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "duration_ms": 22807,
    "num_turns": 1,
    "result": "# Findings\nThe query is built by hand.",
    "total_cost_usd": 0.0886,
    "usage": {
        "input_tokens": 2,
        "cache_creation_input_tokens": 2015,
        "cache_read_input_tokens": 14949,
        "output_tokens": 370,
    },
    "modelUsage": {
        "claude-haiku-5-5": {"inputTokens": 9, "outputTokens": 12},
        "claude-sonnet-5-5": {"inputTokens": 2, "outputTokens": 370},
    },
    "session_id": "0c1d",
}
A2: dict[str, Any] = {
    "run_id": "c8e424d3",
    "spec": "harbour:dev",
    "theme": "harbour",
    "agent": "dev",
    "character": "Ines",
    "source_role": "dev",
    "effective_role": "dev",
    "cross_role": False,
    "scenario": "shopping-cart",
    "timestamp": "2026-01-25T22:54:44Z",
    "response": "Done.",
    "input_tokens": 2,
    "output_tokens": 443,
    "model_usage": {
        "claude-opus-5-5": {
            "inputTokens": 2,
            "outputTokens": 443,
            "cacheReadInputTokens": 0,
            "cacheCreationInputTokens": 12006,
        }
    },
    "cost_usd": 0.08612249999999999,
}


def read(document: Any, **given: Any) -> Answer | Summary:
    options = {"spec": "", "scenario": "", "zone": UTC} | given
    return shapes.read(document, **options)


def answer(document: Any, **given: Any) -> Answer:
    reading = read(document, **given)
    assert isinstance(reading, Answer)
    return reading


def test_cli_envelope_takes_spec_and_scenario_from_the_request() -> None:
    found = answer(A1, spec="harbour:reviewer", scenario="sql")

    assert found.subject.spec == "harbour:reviewer"
    assert (found.subject.theme, found.subject.role) == ("harbour", "reviewer")
    assert found.subject.scenario == "sql"
    assert found.text == A1["result"]
    assert found.outcome is ResponseOutcome.ANSWERED
    assert found.usage == Usage(2, 2015, 14949, 370, 88_600_000)
    assert found.model == "claude-sonnet-5-5"
    assert (found.turns, found.duration_ms, found.answered_at) == (1, 22807, None)
    assert found.flags == ()


def test_result_row_brings_its_own_subject_and_its_cache_tokens() -> None:
    found = answer(A2, spec="other:qa", scenario="other")

    assert found.subject == shapes.Subject(
        "harbour:dev", "harbour", "dev", "Ines", "shopping-cart", "c8e424d3"
    )
    assert found.usage == Usage(2, 12006, 0, 443, 86_122_500)
    assert found.answered_at == datetime(2026, 1, 25, 22, 54, 44, tzinfo=UTC)


@pytest.mark.parametrize(
    "place",
    [
        {"result": "text"},
        {"response": "text"},
        {"response_text": "text"},
        {"proof": {"agent_response_text": "text"}},
    ],
)
def test_answer_is_found_under_each_of_its_names(place: dict[str, Any]) -> None:
    assert answer(place, spec="a:b", scenario="s").text == "text"


@pytest.mark.parametrize(
    ("change", "failure"),
    [
        ({"is_error": True, "result": "API Error: overloaded"}, "API Error: overloaded"),
        ({"is_error": True, "subtype": "error_max_turns", "result": None}, "error_max_turns"),
        ({"subtype": "error_during_execution"}, "error_during_execution"),
        ({"success": False, "error": "timeout\nafter 600 s"}, "timeout after 600 s"),
        ({"result": None}, "no answer"),
        ({"success": False, "result": ""}, "failed"),
    ],
)
def test_failed_run_carries_no_answer_but_its_reason(change: dict[str, Any], failure: str) -> None:
    found = answer(A1 | change, spec="a:b", scenario="s")
    assert found.outcome is ResponseOutcome.FAILED
    assert found.text == ""
    assert found.failure.startswith(failure)


def test_empty_answer_of_a_successful_run_is_an_answer() -> None:
    found = answer(A1 | {"result": ""}, spec="a:b", scenario="s")
    assert (found.outcome, found.text) == (ResponseOutcome.ANSWERED, "")


def test_summary_without_answer_is_no_answer() -> None:
    row = {"success": True, "run_id": "c8", "spec": "a:b", "scenario": "s", "score": 92.5}
    assert isinstance(read(row), Summary)
    failed = answer(row | {"success": False})
    assert failed.outcome is ResponseOutcome.FAILED


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ("abc", "document"),
        (None, "document"),
        ([], "document"),
        ({}, "document"),
        ({"spec": "a:b", "scenario": "s", "judge_response": "..."}, "document"),
        (A2 | {"response": {"text": "x"}}, "response"),
        (A2 | {"response": 5}, "response"),
        (A2 | {"success": "false"}, "success"),
        (A1 | {"is_error": 0, "spec": "a", "scenario": "s"}, "is_error"),
        (A2 | {"spec": ["a"]}, "spec"),
        (A2 | {"spec": "x" * 201}, "spec"),
        (A2 | {"scenario": None}, "scenario"),
        (A2 | {"spec": " ", "theme": None}, "spec"),
        (A2 | {"timestamp": 1767225600}, "timestamp"),
        (A2 | {"model_usage": []}, "model_usage"),
        (A2 | {"cost_usd": -0.1}, "cost_usd"),
        (A2 | {"cost_usd": True}, "cost_usd"),
        (A2 | {"num_turns": 2**31}, "num_turns"),
    ],
)
def test_refusal_names_the_field(document: Any, field: str) -> None:
    with pytest.raises(FieldRefused) as refused:
        read(document)
    assert refused.value.field == field


# Case 89: numbers out of reach.
@pytest.mark.parametrize("text", ["9223372036854775808", "-5", '"12"', "12.5", "true"])
def test_token_counts_out_of_reach_are_refused_by_field(text: str) -> None:
    document = A2 | {"model_usage": None, "input_tokens": json.loads(text)}
    with pytest.raises(FieldRefused) as refused:
        read(document)
    assert refused.value.field == "input_tokens"


@pytest.mark.parametrize(("text", "count"), [("12.0", 12), ("1e3", 1000), ("0", 0)])
def test_whole_numbers_in_other_spellings_are_taken(text: str, count: int) -> None:
    document = A2 | {"model_usage": None, "input_tokens": json.loads(text)}
    assert answer(document).usage.input_tokens == count


# Case 88: time stamps.
@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-03-01T10:00:00Z", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-03-01T10:00:00.1Z", datetime(2026, 3, 1, 10, 0, 0, 100_000, tzinfo=UTC)),
        ("2026-03-01 10:00:00.123456789Z", datetime(2026, 3, 1, 10, 0, 0, 123456, tzinfo=UTC)),
        (
            "2026-03-01T10:00:00+05:30",
            datetime(2026, 3, 1, 10, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        ),
    ],
)
def test_times_with_a_zone_are_read_exactly(text: str, at: datetime) -> None:
    found = answer(A2 | {"timestamp": text})
    assert found.answered_at == at
    assert found.flags == ()


@pytest.mark.parametrize(
    "text",
    ["2026-03-01T10:00:60Z", "2026-03-01T24:00:00Z", "2026-03-01", "yesterday", "20260301T100000Z"],
)
def test_times_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(FieldRefused) as refused:
        read(A2 | {"timestamp": text})
    assert refused.value.field == "timestamp"


def test_naive_time_is_read_in_the_zone_of_the_installation_and_flagged() -> None:
    found = answer(A2 | {"timestamp": "2026-03-01T10:00:00"}, zone=ZoneInfo("Europe/Berlin"))
    assert found.answered_at == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert found.flags == (ResponseFlag.NAIVE_TIME,)
    assert found.warnings


def test_several_turns_are_flagged() -> None:
    assert answer(A2 | {"num_turns": 3}).flags == (ResponseFlag.SEVERAL_TURNS,)
    assert answer(A2 | {"num_turns": 1}).flags == ()


def test_unsendable_characters_are_kept_in_the_text_and_escaped_in_names() -> None:
    found = answer(A2 | {"response": "a\x00b\ud83d", "character": "I\x00nes", "theme": 1984})
    assert found.text == "a\x00b\ud83d"
    assert found.subject.character == "I\\u0000nes"
    assert found.subject.theme == "1984"
    assert found.flags == (ResponseFlag.ESCAPED_TEXT,)


@pytest.mark.parametrize(
    ("spec", "theme", "role", "is_control"),
    [
        ("control:dev", "control", "dev", True),
        ("harbour:Captain Ines", "harbour", "Captain Ines", False),
        ("solo-agent", "", "", False),
    ],
)
def test_spec_gives_theme_and_role(spec: str, theme: str, role: str, is_control: bool) -> None:
    subject = answer({"result": "x"}, spec=spec, scenario="s").subject
    assert (subject.theme, subject.role, subject.is_control) == (theme, role, is_control)


def test_names_are_read_on_one_line() -> None:
    found = shapes.read(
        {"spec": " harbour:\ndev ", "character": "Ines\r\n## Evaluation", "response": "Done."},
        spec="",
        scenario="cart",
        zone=UTC,
    )
    assert (found.subject.spec, found.subject.character) == ("harbour: dev", "Ines ## Evaluation")

    given = shapes.read({"response": "Done."}, spec="\tharbour:\u2028qa", scenario="cart", zone=UTC)
    assert given.subject.spec == "harbour: qa"

    parts = {"theme": "low\ntide", "role": "dev", "response": "Done."}
    assert shapes.read(parts, spec="", scenario="cart", zone=UTC).subject.spec == "low tide:dev"


def test_names_are_counted_once_folded() -> None:
    document = {"spec": "x" * 200 + "\n\n", "response": "Done."}
    assert shapes.read(document, spec="", scenario="cart", zone=UTC).subject.spec == "x" * 200
    for spec in ("x" * 201, "x \n" * 101):  # 101 times x, 100 spaces
        with pytest.raises(FieldRefused, match="201 characters; at most 200 are allowed"):
            shapes.read({"response": "Done."}, spec=spec, scenario="cart", zone=UTC)


# --- predictions of SWE-bench -------------------------------------------------------------------

PREDICTION = {
    "instance_id": "tide__tide-7",
    "model_name_or_path": "agent-1",
    "model_patch": "--- a/x.py\n+++ b/x.py\n",
}


def test_prediction_is_the_models_answer_to_its_instance() -> None:
    found = answer(PREDICTION)
    assert (found.subject.spec, found.subject.scenario) == ("agent-1", "tide__tide-7")
    assert (found.text, found.model) == (PREDICTION["model_patch"], "agent-1")
    assert found.outcome is ResponseOutcome.ANSWERED
    named = answer({**PREDICTION, "spec": "harbour:dev", "scenario": "tide-7"})
    assert (named.subject.spec, named.subject.scenario) == ("harbour:dev", "tide-7")


@pytest.mark.parametrize("patch", [{"model_patch": None}, {"model_patch": ""}, {}])
def test_no_patch_is_an_empty_answer_and_no_failed_run(patch: dict[str, Any]) -> None:
    rest = {key: value for key, value in PREDICTION.items() if key != "model_patch"}
    found = answer({**rest, **patch})
    assert (found.text, found.outcome) == ("", ResponseOutcome.ANSWERED)


def test_patch_that_is_no_text_is_refused() -> None:
    with pytest.raises(FieldRefused) as refused:
        read({**PREDICTION, "model_patch": ["--- a"]})
    assert refused.value.field == "response"


# --- across roles -------------------------------------------------------------------------------


def test_spec_across_roles_keeps_the_role_that_was_played() -> None:
    document = {
        **A2,
        "spec": "harbour:ines",
        "source_role": "reviewer",
        "effective_role": "dev",
        "cross_role": True,
    }
    assert answer(document).subject.role == "dev"
    assert answer({**document, "cross_role": False}).subject.role == "reviewer"
    unnamed = {key: value for key, value in document.items() if key != "spec"}
    assert answer({**unnamed, "character_slug": "ines"}).subject.spec == "harbour:ines"
    assert answer({**unnamed, "character": "Ines Holt"}).subject.spec == "harbour:ines-holt"


def test_theme_that_is_a_number_is_a_name() -> None:
    rest = {key: value for key, value in A2.items() if key not in ("spec", "agent")}
    assert answer({**rest, "theme": 1984}).subject.spec == "1984:dev"
