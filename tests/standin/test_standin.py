"""The stand-in itself: its rules, its scripts and what its marks look like."""

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from typing import Any

import pytest

from judgeweb.standin.answers import Fitting
from judgeweb.standin.rules import schema_fault
from tests.fixtures.standin import OPENER, StandInControl

MARK = {"type": "integer"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "depth": MARK,
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string", "enum": ["a", "b", "c"]},
                    "found": {"type": "boolean"},
                    "evidence": {"type": "string"},
                },
                "additionalProperties": False,
            },
        },
        "assessment": {"type": "string"},
    },
    "additionalProperties": False,
}
RESPONSE = "The lock is taken twice in the same thread.\nThe index is never bounds checked."


def body(**changes: Any) -> dict[str, Any]:
    usual = {
        "model": "claude-sonnet-5-5",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": RESPONSE}],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }
    return {key: value for key, value in {**usual, **changes}.items() if value is not None}


def post(standin: StandInControl, content: Any, **headers: str) -> tuple[int, Any, Any]:
    """Status, decoded body and headers of one request."""
    usual = {"authorization": "Bearer k", "anthropic-version": "2026-10-21"}
    request = urllib.request.Request(
        f"{standin.url}/v1/messages",
        data=content if isinstance(content, bytes) else json.dumps(content).encode(),
        headers={**usual, **headers},
    )
    try:
        with OPENER.open(request, timeout=10) as response:
            return response.status, json.load(response), response.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error), error.headers


def verdict(user: str) -> Any:
    return Fitting(user, SCHEMA).verdict()


# --- marks ------------------------------------------------------------------------------------


def test_verdict_same_prompt_is_the_same_and_others_vary() -> None:
    verdicts = [verdict(f"{RESPONSE} {n}") for n in range(200)]

    assert verdict(RESPONSE) == verdict(RESPONSE)
    assert {v["depth"] for v in verdicts} == {4, 5, 6, 7, 8, 9}
    found = [item["found"] for v in verdicts for item in v["items"]]
    assert 0.5 < sum(found) / len(found) < 0.8


def test_verdict_names_every_id_once_and_quotes_the_response() -> None:
    items = verdict(RESPONSE)["items"]

    assert [item["id"] for item in items] == ["a", "b", "c"]
    for item in items:
        assert item["evidence"] in (RESPONSE.splitlines() if item["found"] else [""])


def test_verdict_says_that_it_is_no_judgement() -> None:
    assert "stand-in, not a judgement" in verdict("x")["assessment"]
    assert len(json.dumps(verdict("x"))) >= 200


@pytest.mark.parametrize(
    ("schema", "allowed"),
    [
        ({"enum": [1, 2, 3]}, [3]),
        ({"enum": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, [4, 5, 6, 7, 8, 9]),
        ({"enum": ["good", "poor"]}, ["good", "poor"]),
        ({"const": 7}, [7]),
        ({"anyOf": [{"type": "null"}, MARK]}, [None]),
        ({"type": ["string", "null"]}, ["stand-in, not a judgement"]),
    ],
)
def test_value_fits_its_schema(schema: Any, allowed: list[Any]) -> None:
    assert Fitting("x", schema).verdict() in allowed


def test_value_follows_references() -> None:
    schema = {
        "$ref": "#/$defs/m",
        "$defs": {"m": {"type": "array", "items": {"$ref": "#/$defs/n"}}, "n": {"type": "boolean"}},
    }

    assert all(isinstance(one, bool) for one in Fitting("x", schema).verdict())


# --- rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"model": "claude-sonet"}, 404, "model: claude-sonet"),
        ({"max_tokens": None}, 400, "max_tokens: Field required"),
        ({"max_tokens": "9"}, 400, "max_tokens"),
        ({"temperature": 0}, 400, "temperature"),
        ({"top_p": 1}, 400, "top_p"),
        ({"messages": []}, 400, "messages"),
        ({"messages": [{"role": "user", "content": " "}]}, 400, "non-empty"),
        ({"messages": [{"role": "assistant", "content": "{"}]}, 400, "prefill"),
        ({"output_config": {"effort": "huge"}}, 400, "effort"),
        ({"model": "claude-haiku-4-5", "output_config": {"effort": "low"}}, 400, "effort"),
        ({"model": "claude-opus-5-5", "thinking": {"type": "disabled"}}, 400, "thinking"),
        ({"model": "claude-opus-5-5", "tool_choice": {"type": "any"}}, 400, "tool_choice"),
        ({"tools": [{"strict": True, "input_schema": {"type": "object"}}]}, 400, "tools.0"),
        ({"output_config": {"format": {"schema": {"type": "object"}}}}, 400, "additionalProp"),
    ],
)
def test_messages_rule_broken_is_refused(
    standin: StandInControl, changes: Any, status: int, said: str
) -> None:
    answered, content, headers = post(standin, body(**changes))

    assert answered == status
    assert said in content["error"]["message"]
    assert content["error"]["type"] in ("invalid_request_error", "not_found_error")
    assert headers["request-id"] == content["request_id"]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "integer", "minimum": 1}, "minimum"),
        ({"type": "array", "items": {"type": "string", "maxLength": 1}}, "maxLength"),
        ({"type": "array", "minItems": 2}, "minItems"),
        ({"anyOf": [{"type": "object"}]}, "additionalProperties"),
        ({"$defs": {"x": {"type": "number", "multipleOf": 2}}}, "multipleOf"),
    ],
)
def test_schema_outside_the_dialect_is_named(schema: Any, said: str) -> None:
    assert said in (schema_fault(schema) or "")


def test_schema_property_named_like_a_keyword_is_fine() -> None:
    named = {"minimum": {"type": "integer"}}

    assert (
        schema_fault({"type": "object", "properties": named, "additionalProperties": False}) is None
    )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer invalid"}, 401),
        ({"authorization": "", "x-api-key": "k"}, 200),
        ({"anthropic-version": "2023-06-01"}, 400),
    ],
)
def test_messages_headers_are_checked(standin: StandInControl, headers: Any, status: int) -> None:
    assert post(standin, body(), **headers)[0] == status


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"model": "\xff"}'])
def test_messages_body_that_is_no_json_object_is_refused(
    standin: StandInControl, content: bytes
) -> None:
    assert post(standin, content)[0] == 400


def test_messages_ordinary_answer_has_usage_and_headers(standin: StandInControl) -> None:
    status, content, headers = post(standin, body())

    assert status == 200
    assert json.loads(content["content"][0]["text"]) == verdict(RESPONSE)
    assert content["usage"]["cache_creation"] == {
        "ephemeral_5m_input_tokens": 0,
        "ephemeral_1h_input_tokens": 0,
    }
    assert headers["anthropic-ratelimit-requests-remaining"] == "3999"


def test_messages_without_schema_answers_in_prose(standin: StandInControl) -> None:
    _, content, _ = post(standin, body(output_config=None))

    assert not content["content"][0]["text"].startswith("{")


# --- scripts ----------------------------------------------------------------------------------


def test_faults_come_in_order_then_all_is_well(standin: StandInControl) -> None:
    standin.faults({"status": 529}, {"status": 402, "code": "c", "headers": {"x-a": "b"}}, times=2)

    answers = [post(standin, body()) for _ in range(5)]

    assert [status for status, _, _ in answers] == [529, 529, 402, 402, 200]
    assert answers[0][1]["error"]["type"] == "overloaded_error"
    assert answers[2][1]["error"]["details"] == {"error_code": "c"}
    assert answers[2][2]["x-a"] == "b"
    assert standin.stats()["statuses"] == {"200": 1, "402": 2, "529": 2}


def test_faults_drop_cuts_the_connection(standin: StandInControl) -> None:
    standin.faults({"drop": True})

    with pytest.raises((HTTPException, OSError)):
        post(standin, body())


def test_replies_are_filled_up_to_a_message(standin: StandInControl) -> None:
    standin.replies({"text": "eight"}, {"content": [], "stop_reason": "refusal", "usage": {}})

    first, second = post(standin, body())[1], post(standin, body())[1]

    assert first["content"] == [{"type": "text", "text": "eight"}]
    assert first["usage"]["output_tokens"] > 0
    assert (second["stop_reason"], second["usage"], second["type"]) == ("refusal", {}, "message")


def test_settings_share_of_faults_and_garbage_is_drawn(standin: StandInControl) -> None:
    standin.settings(fault_share=0.5, fault_headers={"retry-after": "1"}, garbage_share=0.5)

    answers = [post(standin, body()) for _ in range(60)]

    refused = [headers for status, _, headers in answers if status == 429]
    assert 15 < len(refused) < 45
    assert refused[0]["retry-after"] == "1"
    texts = [content["content"][0]["text"] for status, content, _ in answers if status == 200]
    assert 0 < sum(text.startswith("{") for text in texts) < len(texts)


def test_stats_count_what_was_in_flight(standin: StandInControl) -> None:
    standin.settings(latency_ms=200)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: post(standin, body()), range(4)))

    assert 2 <= standin.stats()["max_in_flight"] <= 4
    assert standin.stats()["in_flight"] == 0


def test_log_masks_the_key(standin: StandInControl) -> None:
    post(standin, body(), authorization="Bearer sk-ant-0123456789")

    entry = standin.log()[0]
    assert entry["authorization"] == "Bearer sk-ant-0"
    assert entry["body"]["messages"][0]["content"] == RESPONSE


def test_control_unknown_name_is_refused(standin: StandInControl) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        standin.settings(latency=5)

    with caught.value as error:
        assert b"latency_ms" in error.read()


def test_reset_forgets_everything(standin: StandInControl) -> None:
    standin.faults({"status": 500}, times=3)
    post(standin, body())

    standin.reset()

    assert standin.stats()["requests"] == standin.stats()["faults_left"] == 0
    assert standin.log() == []
