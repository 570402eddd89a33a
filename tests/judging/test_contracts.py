import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging.contract_schemas import publishable_contract
from judgeweb.judging.contracts import check_response, fitting_contract
from judgeweb.judging.documents import ContractDocument, load_document
from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.json_places import find, written
from judgeweb.judging.types import DecidedBy

PLAN: dict[str, Any] = {
    "type": "object",
    "required": ["status", "steps"],
    "properties": {
        "status": {"type": "string", "enum": ["ready", "blocked"]},
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "string"}, "size": {"type": "integer"}},
            },
        },
    },
}
GOOD = '{"status": "ready", "steps": [{"id": "a", "size": 1}]}'


def contract(schema: Any = PLAN, **values: Any) -> ContractDocument:
    made = {"call_type": "planner", "json_schema": schema, **values}
    return publishable_contract(load_document(ContractDocument, made))


def refused(schema: Any, **values: Any) -> list[tuple[str, str]]:
    with pytest.raises(DocumentInvalid) as caught:
        contract(schema, **values)
    return caught.value.problems


# --- the check ----------------------------------------------------------------------------------


def test_response_that_keeps_its_contract() -> None:
    check = check_response(contract(), GOOD, True)

    assert check.ok is True
    assert check.errors == ()
    assert check.worst_offender == ""
    assert check.decided_by is DecidedBy.CONTRACT
    assert check.rationale == "The response keeps the contract of planner."


@pytest.mark.parametrize(
    ("text", "path", "message", "quote"),
    [
        (
            '{"status": "done", "steps": []}',
            "$.status",
            'is none of "ready", "blocked"',
            '"status": "done"',
        ),
        ('{"steps": []}', "$.status", "is missing", '{"steps": []}'),
        (
            '{"status": "ready", "steps": [{"id": "a"}, {"id": "b", "size": "tiny"}]}',
            "$.steps[1].size",
            'is not of type "integer"',
            '"size": "tiny"',
        ),
        (
            '{"status": "ready", "steps": [{"size": 1}]}',
            "$.steps[0].id",
            "is missing",
            '{"size": 1}',
        ),
        (
            '{"status": "ready", "steps": [], "my notes": {"a":\n 1}}',
            '$["my notes"]',
            "is not declared by the contract",
            '"my notes": {"a": 1}',
        ),
        ("[]", "$", 'is not of type "object"', "[]"),
    ],
)
def test_response_that_breaks_its_contract(text: str, path: str, message: str, quote: str) -> None:
    check = check_response(contract(), text, True)

    assert check.ok is False
    [error] = check.errors
    assert (error.path, error.message) == (path, message)
    assert check.rationale == f"{path} {message}."
    assert check.worst_offender == quote
    assert " ".join(text[error.start : error.end].split()) == quote


def test_several_problems_are_counted_in_one_sentence() -> None:
    check = check_response(contract(), '{"status": 1, "x": 1, "y": 2}', True)

    assert sorted(error.path for error in check.errors) == [
        "$.status", "$.status", "$.steps", "$.x", "$.y",
    ]  # fmt: skip
    assert check.rationale.endswith("(4 more problems).")
    assert check.rationale.count(".") == 2  # the one of the path and the full stop


@pytest.mark.parametrize("text", [GOOD, "not json", '{"status": 1}'])
def test_parsed_ok_false_fails_whatever_the_text(text: str) -> None:
    check = check_response(contract(), text, False)

    assert check.ok is False
    assert "parsed_ok is false" in check.rationale
    assert check.decided_by is DecidedBy.RULE


def test_parsed_ok_true_with_text_that_is_no_json_says_so() -> None:
    check = check_response(contract(), f"```json\n{GOOD}\n```", True)

    assert check.ok is False
    assert check.rationale == ("The response is not JSON: Expecting value at line 1, column 1.")
    assert check.worst_offender.startswith('```json {"status"')
    assert check.decided_by is DecidedBy.RULE


@pytest.mark.parametrize("text", [None, "", " \n", "\u200b"])
@pytest.mark.parametrize("parsed_ok", [True, False])
def test_no_response_fails(text: str | None, parsed_ok: bool) -> None:
    check = check_response(contract(), text, parsed_ok)

    assert (check.ok, check.worst_offender) == (False, "")
    assert check.decided_by is DecidedBy.RULE


def test_without_a_contract_only_the_rules_decide() -> None:
    assert check_response(None, GOOD, True).ok is None
    assert check_response(None, "prose", True).ok is False
    assert check_response(None, GOOD, False).ok is False
    assert check_response(None, None, True).ok is False


# --- strict and lenient -------------------------------------------------------------------------


def test_lenient_contract_lets_undeclared_fields_through() -> None:
    text = '{"status": "ready", "steps": [], "notes": 1}'

    assert check_response(contract(), text, True).ok is False
    assert check_response(contract(strict=False), text, True).ok is True


def test_undeclared_fields_below_the_top_level_are_the_schemas_business() -> None:
    assert check_response(
        contract(), '{"status": "ready", "steps": [{"id": "a", "x": 1}]}', True
    ).ok


@pytest.mark.parametrize(
    ("schema", "undeclared"),
    [
        ({"allOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/b"}],
          "$defs": {"b": {"properties": {"b": {}}}}}, ["c"]),
        ({"anyOf": [{"required": ["a"], "properties": {"a": {}}}, {"properties": {"b": {}}}]},
         ["c"]),
        ({"if": {"properties": {"a": {}}}, "then": {"properties": {"b": {}}}}, ["c"]),
        ({"dependentSchemas": {"a": {"properties": {"a": {}, "b": {}}}}}, ["c"]),
        ({"patternProperties": {"^[ab]$": {}}}, ["c"]),
        ({"properties": {"a": {}}, "additionalProperties": {"type": "integer"}}, []),
        ({"properties": {"a": {}}, "additionalProperties": True}, ["b", "c"]),
        ({"properties": {"a": {}}, "additionalProperties": False}, ["b", "c"]),
        ({"$ref": "#"}, ["a", "b", "c"]),
        ({}, ["a", "b", "c"]),
    ],
)  # fmt: skip
def test_a_field_is_declared_where_the_schema_names_it(schema: Any, undeclared: list[str]) -> None:
    check = check_response(contract(schema), '{"a": 1, "b": 2, "c": 3}', True)

    assert [error.path[2:] for error in check.errors] == undeclared


# --- hostile text -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        (r'{"status": "ready", "steps": [{"id": "\ud83d"}]}', True),
        (r'{"status": "ready", "steps": [{"id": "\u0000"}]}', True),
        (r'{"status": "\ud83d", "steps": []}', False),
        (r'{"status": "ready", "steps": [], "\ud83d": 1}', False),
        ('{"status": "ready", "steps": [{"id": "a", "size": NaN}]}', False),
        ('{"status": "ready", "steps": [{"id": "a", "size": 1e999}]}', False),
        ('{"status": "ready", "steps": [{"id": "a", "size": 1' + "0" * 300 + "}]}", True),
        ('{"status": "ready", "steps": [{"id": "a", "size": 1.0}]}', True),
        ('{"status": "ready", "steps": [{"id": "a", "size": true}]}', False),
        ('{"status": "ready", "status": "blocked", "steps": []}', False),
        ('{"status": "ready", "status": "ready", "steps": []}', True),
        ("[" * 6000 + "]" * 6000, False),
    ],
)
def test_odd_values(text: str, ok: bool) -> None:
    check = check_response(contract(), text, True)

    assert check.ok is ok
    check.rationale.encode()
    check.worst_offender.encode()
    assert "\x00" not in check.rationale + check.worst_offender


def test_many_errors_take_no_long_time() -> None:
    steps = ",".join('{"size": "x"}' for _ in range(30_000))

    started = time.monotonic()
    check = check_response(contract(), f'{{"status": "ready", "steps": [{steps}]}}', True)

    assert check.ok is False
    assert len(check.errors) == 1
    assert time.monotonic() - started < 20  # a list of all errors would need minutes


def test_errors_are_bounded_and_counted() -> None:
    steps = ",".join("{}" for _ in range(100))
    check = check_response(contract(), f'{{"status": "ready", "steps": [{steps}]}}', True)

    assert len(check.errors) == 50
    assert "(99 more problems)" in check.rationale


def test_pattern_bomb_is_matched_in_linear_time() -> None:
    evil = contract({"properties": {"a": {"pattern": "^(a+)+$"}}})

    started = time.monotonic()
    assert check_response(evil, json.dumps({"a": "a" * 100_000 + "!"}), True).ok is False
    assert time.monotonic() - started < 10


def test_formats_are_asserted() -> None:
    dated = contract({"properties": {"at": {"type": "string", "format": "date-time"}}})

    assert check_response(dated, '{"at": "2026-11-30T22:00:00Z"}', True).ok
    assert check_response(dated, '{"at": "yesterday"}', True).ok is False


def test_choice_says_what_is_wrong_in_the_branch_of_the_right_type() -> None:
    either = contract(
        {"properties": {"a": {"anyOf": [{"type": "null"}, {"type": "string", "enum": ["x"]}]}}}
    )
    check = check_response(either, '{"a": "y"}', True)

    assert check.rationale == '$.a is none of "x".'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["status", "steps", "id", "size", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(JSON | st.text(), st.booleans())
def test_every_response_is_decided_and_quoted_from_itself(value: Any, parsed_ok: bool) -> None:
    text = json.dumps(value)
    check = check_response(contract(), text, parsed_ok)

    assert check.ok is False or parsed_ok
    assert check.ok is bool(check.ok)
    for error in check.errors:
        assert 0 <= error.start < error.end <= len(text)
    if check.worst_offender and not check.worst_offender.endswith("…"):
        assert check.worst_offender in " ".join(text.split())


# --- contracts that may be published ------------------------------------------------------------


def test_schema_keeps_its_order_and_loses_its_spaces() -> None:
    document = contract('{ "type": "object",\n "properties": {"b": {}, "a": {}} }')

    assert document.json_schema == '{"type":"object","properties":{"b":{},"a":{}}}'
    assert document == contract(json.loads(document.json_schema))


@pytest.mark.parametrize(
    ("schema", "place", "message"),
    [
        ("{", "json_schema", "is not JSON"),
        ("[]", "json_schema", "must be a JSON object"),
        ('{"type": "object", "type": "array"}', "json_schema", "stands twice"),
        ('{"const": NaN}', "json_schema", "NaN"),
        ({"properties": {"a": {"type": "strin"}}}, "json_schema.properties.a.type", "strin"),
        ({"required": "a"}, "json_schema.required", "type"),
        ({"properties": {"a": {"pattern": "("}}}, "json_schema.properties.a.pattern", "linear"),
        (
            {"properties": {"a": {"pattern": "^(?!x)"}}},
            "json_schema.properties.a.pattern",
            "linear",
        ),
        ({"items": {"$ref": "http://example.org/a"}}, "json_schema.items.$ref", "outside"),
        ({"items": {"$ref": "other.json#/a"}}, "json_schema.items.$ref", "outside"),
        ({"items": {"$ref": "file:///etc/passwd"}}, "json_schema.items.$ref", "outside"),
        ({"items": {"$ref": "#/$defs/a"}}, "json_schema.items.$ref", "nothing"),
        ({"items": {"$id": "http://example.org/a"}}, "json_schema.items.$id", "$id"),
        ({"$schema": "http://example.org/draft"}, "json_schema.$schema", "no known draft"),
        ('{"enum": ["\\ud83d"]}', "json_schema", "half a character, \\ud83d"),
        ({"$schema": 7}, "json_schema.$schema", "no known draft"),
        ({"description": "x" * 500_000}, "json_schema", "longer"),
    ],
)
def test_schema_that_is_none_is_refused_with_its_place(
    schema: Any, place: str, message: str
) -> None:
    assert any(at == place and message.lower() in said.lower() for at, said in refused(schema)), (
        refused(schema)
    )


def test_every_problem_of_a_schema_is_named() -> None:
    problems = refused(
        {"properties": {"a": {"type": "x"}, "b": {"minLength": -1}, "c": {"$ref": "x"}}}
    )

    assert [place for place, _ in problems] == [
        "json_schema.properties.a.type",
        "json_schema.properties.b.minLength",
        "json_schema.properties.c.$ref",
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"$ref": {"type": "string"}, "enum": {"type": "string"}}},
        {"const": {"$ref": "http://example.org"}, "examples": [{"$id": "a"}]},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {}},
         "items": {"$ref": "#/definitions/a"}},
        {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": "#"},
        {"$defs": {"a/b": {"$anchor": "here"}},
         "allOf": [{"$ref": "#here"}, {"$ref": "#/$defs/a~1b"}]},
    ],
)  # fmt: skip
def test_schema_that_may_be_published(schema: Any) -> None:
    assert contract(schema)


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"call_type": " "}, "call_type"),
        ({"system_prompt_sha256": "abc"}, "system_prompt_sha256"),
        ({"system_prompt_sha256": "A" * 64}, "system_prompt_sha256"),
    ],
)
def test_document_that_is_no_contract(values: dict[str, str], place: str) -> None:
    assert [at for at, _ in refused({}, **values)] == [place]


def test_contract_of_the_very_prompt_goes_before_the_one_for_any() -> None:
    prompt = hashlib.sha256(b"prompt").hexdigest()
    of_any, of_prompt = contract(), contract({}, system_prompt_sha256=prompt)
    both = [of_any, of_prompt, contract({}, call_type="conformer")]

    assert fitting_contract(both, "planner", prompt) is of_prompt
    assert fitting_contract(both, "planner", "0" * 64) is of_any
    assert fitting_contract([of_prompt], "planner", "0" * 64) is None
    assert fitting_contract(both, "Planner ", prompt) is None


# --- places -------------------------------------------------------------------------------------


def test_find_and_written() -> None:
    text = ' {"a" : [1, {"b c": "\\"x"}, []], "a\\u0062": null} '

    def at(*path: str | int) -> str:
        start, end = find(text, path)
        return text[start:end]

    assert at("a", 0) == "1"
    assert at("a", 1, "b c") == '"b c": "\\"x"'
    assert at("a", 2, 5) == "[]"
    assert at("ab") == '"a\\u0062": null'
    assert at("a", "b") == '"a" : [1, {"b c": "\\"x"}, []]'
    assert at() == text.strip()
    assert written(("a", 1, "b c", "_d")) == '$.a[1]["b c"]._d'


# --- the answer key -----------------------------------------------------------------------------


def captured(folder: Path) -> Iterator[dict[str, Any]]:
    """Captures in the generator's file, the first of each id; refused lines are not in the key."""
    seen = set()
    for line in (folder / "calls.ndjson").read_bytes().split(b"\n"):
        try:
            row = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
        except ValueError:
            continue
        if isinstance(row, dict) and row.get("call_id") not in seen:
            seen.add(row.get("call_id"))
            yield row


@pytest.mark.shared
@pytest.mark.parametrize("dirty", [False, True])
@pytest.mark.parametrize("seed", [1, 7, 4711])
def test_schema_ok_equals_the_answer_key(
    shared: Path, tmp_path: Path, seed: int, dirty: bool
) -> None:
    command = [
        sys.executable, str(shared / "samples" / "make_calls.py"), "--n", "250",
        "--seed", str(seed), "--defect-rate", "0.4", "--out", str(tmp_path),
        *(["--dirty"] if dirty else []),
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    schemas = json.loads((shared / "samples" / "contracts" / "current.json").read_text())
    contracts = {name: contract(schema, call_type=name) for name, schema in schemas.items()}
    lines = (tmp_path / "answer-key.ndjson").read_text().splitlines()
    key = {row["call_id"]: row["schema_ok"] for row in map(json.loads, lines)}

    answers = {
        row["call_id"]: check_response(
            contracts.get(row["call_type"]), row["response_content"], row["parsed_ok"]
        ).ok
        for row in captured(tmp_path)
        if row.get("call_id") in key
    }

    assert answers == key
    assert set(key.values()) == {True, False}


@pytest.mark.shared
@pytest.mark.parametrize("era", ["current", "seed-era"])
def test_every_contract_of_the_samples_may_be_published(shared: Path, era: str) -> None:
    schemas = json.loads((shared / "samples" / "contracts" / f"{era}.json").read_text())

    assert all(contract(schema, call_type=name) for name, schema in schemas.items())
