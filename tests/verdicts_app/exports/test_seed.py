"""The consumer's view of seed B's file and of its two dialects."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging.types import Check, EvidenceState
from verdicts_app.exports.dialects import (
    call_document,
    call_file_name,
    camel_export,
    index_document,
    index_files,
)
from verdicts_app.exports.seed import (
    CallVerdict,
    CallVerdicts,
    aggregate,
    call_verdict,
    file_text,
    iso,
    no_captures,
    seed_export,
    summary_line,
)

NOT_FOUND = EvidenceState.NOT_FOUND


def checks(
    schema: bool | None = True, factual: bool | None = True, free: bool | None = True
) -> tuple[Check, ...]:
    return (
        Check("schema_ok", schema, "Fits.", worst_offender="" if schema else '"a": 1'),
        Check("factually_grounded", factual, "Says 3\nwhere 4 are.",
              worst_offender="" if factual else "3 files"),
        Check("hallucination_free", free, "Names a ghost.",
              worst_offender="" if free else "src/ghost.py"),
    )  # fmt: skip


def verdict(call_id: str = "c1", **values: Any) -> CallVerdict:
    found = call_verdict(call_id, checks(**values))
    assert found
    return found


def verdicts(*rows: CallVerdict) -> CallVerdicts:
    return CallVerdicts(
        call_type="planner",
        run_id="run-7",
        judged_at=datetime(2026, 11, 30, 23, 59, 1, 500, tzinfo=timezone(timedelta(hours=2))),
        judge_model="claude-sonnet-4-6",
        verdicts=rows,
    )


def test_file_has_the_seeds_keys_in_the_seeds_order() -> None:
    text = file_text(seed_export(verdicts(verdict("c2"), verdict("c1", free=False))))

    assert text == (
        "{\n"
        '  "call_type": "planner",\n'
        '  "run_id": "run-7",\n'
        '  "judged_at": "2026-11-30T21:59:01Z",\n'
        '  "judge_model": "claude-sonnet-4-6",\n'
        '  "verdicts": [\n'
        "    {\n"
        '      "call_id": "c2",\n'
        '      "schema_ok": true,\n'
        '      "schema_rationale": "Fits.",\n'
        '      "factually_grounded": true,\n'
        '      "factual_rationale": "Says 3 where 4 are.",\n'
        '      "hallucination_free": true,\n'
        '      "hallucination_rationale": "Names a ghost.",\n'
        '      "pass": true\n'
        "    },\n"
        "    {\n"
        '      "call_id": "c1",\n'
        '      "schema_ok": true,\n'
        '      "schema_rationale": "Fits.",\n'
        '      "factually_grounded": true,\n'
        '      "factual_rationale": "Says 3 where 4 are.",\n'
        '      "hallucination_free": false,\n'
        '      "hallucination_rationale": "Names a ghost.",\n'
        '      "pass": false,\n'
        '      "worst_offender": "src/ghost.py"\n'
        "    }\n"
        "  ],\n"
        '  "aggregate": {\n'
        '    "n": 2,\n'
        '    "schema_pass": 2,\n'
        '    "factual_pass": 2,\n'
        '    "hallucination_free_pass": 1,\n'
        '    "overall_pass": 1\n'
        "  }\n"
        "}\n"
    )


def test_case_40_the_candidates_failures_are_in_n() -> None:
    silent = (
        Check("schema_ok", False, "There is no response."),
        Check("factually_grounded", True, "Nothing is claimed."),
        Check("hallucination_free", True, "Nothing is claimed."),
    )
    rows = (
        [call_verdict("p", checks())] * 108
        + [call_verdict("f", checks(factual=False))] * 40
        + [call_verdict("s", silent)] * 24
    )

    counted = aggregate(row for row in rows if row)

    assert (counted.overall_pass, counted.n) == (108, 172)
    assert round(counted.overall_pass / counted.n, 4) == 0.6279
    assert (counted.schema_pass, counted.factual_pass, counted.hallucination_free_pass) == (
        148, 132, 172,
    )  # fmt: skip


@pytest.mark.parametrize("values", [{"schema": None}, {"factual": None}, {"free": None}])
def test_undecided_captures_are_left_out(values: dict[str, None]) -> None:
    assert call_verdict("c1", checks(**values)) is None
    assert call_verdict("c1", checks()[:2]) is None


@pytest.mark.parametrize(
    ("values", "offender"),
    [
        ({}, ""),
        ({"schema": False}, '"a": 1'),
        ({"schema": False, "factual": False}, "3 files"),
        ({"schema": False, "factual": False, "free": False}, "src/ghost.py"),
    ],
)
def test_worst_offender_is_the_quote_of_the_worst_failure(
    values: dict[str, bool], offender: str
) -> None:
    assert verdict(**values).worst_offender == offender


def test_quote_that_nobody_wrote_is_no_worst_offender() -> None:
    schema, factual, _ = checks(factual=False)
    ghost = Check(
        "hallucination_free", False, "Made up.", worst_offender="x", evidence_state=NOT_FOUND
    )
    found = call_verdict("c1", (schema, factual, ghost))

    assert found
    assert found.worst_offender == "3 files"


def test_summary_line_and_message_are_the_seeds() -> None:
    counted = aggregate([verdict(), verdict(schema=False), verdict(factual=False, free=False)])

    assert summary_line("planner", counted, "out/planner-verdicts.json") == (
        "[planner] judged n=3 schema=2/3 factual=2/3 halluc_free=2/3 pass=1/3 "
        "→ out/planner-verdicts.json"
    )
    assert no_captures("Planner", "x/calls.ndjson") == (
        "No captures for call_type=Planner in x/calls.ndjson"
    )


def test_iso_is_utc_and_refuses_a_time_without_a_zone() -> None:
    assert iso(datetime(2026, 1, 2, 3, 4, 5, 999999, tzinfo=UTC)) == "2026-01-02T03:04:05Z"
    with pytest.raises(ValueError, match="no time zone"):
        iso(datetime(2026, 1, 2))  # noqa: DTZ001


@given(st.text(), st.text(), st.booleans(), st.booleans(), st.booleans())
def test_any_text_is_written_as_json_and_read_back(
    call_id: str, words: str, schema: bool, factual: bool, free: bool
) -> None:
    row = CallVerdict(call_id, schema, words, factual, words, free, words, words)
    text = file_text(seed_export(verdicts(row)))

    [back] = json.loads(text.encode("ascii"))["verdicts"]
    assert back["call_id"] == call_id
    assert back["pass"] is (schema and factual and free)
    assert ("worst_offender" in back) is (not back["pass"] and words != "")


def test_healing_tool_joins_by_call_id_and_takes_failures_alone() -> None:
    captures = {"c1": "prompt one", "c2": "prompt two", "c3": "unjudged"}
    exported = json.loads(
        file_text(seed_export(verdicts(verdict("c1"), verdict("c2", factual=False))))
    )

    to_heal = [captures[row["call_id"]] for row in exported["verdicts"] if not row["pass"]]

    assert to_heal == ["prompt two"]


# --- dialects -----------------------------------------------------------------------------------


def test_index_dialect() -> None:
    calls = verdicts(verdict("c2"), verdict("c1", schema=False, free=False))

    assert list(index_files(calls)) == ["c2.json", "c1.json", "INDEX.json"]
    assert index_document(calls) == [
        {"call_id": "c1", "call_type": "planner", "passed": False},
        {"call_id": "c2", "call_type": "planner", "passed": True},
    ]
    assert call_document(calls.verdicts[1]) == {
        "passed": False,
        "dimensions": {"schema_ok": False, "factual_ok": True, "hallucination_ok": False},
        "rationale": "Fits. Says 3 where 4 are. Names a ghost.",
        "suggested_fixes": ["schema: Fits.", "hallucination: Names a ghost."],
    }
    assert call_document(calls.verdicts[0])["suggested_fixes"] == []


@pytest.mark.parametrize(
    ("call_id", "name"),
    [
        ("4f-1.a_b", "4f-1.a_b.json"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd.json"),
        ("INDEX", "%49NDEX.json"),
        ("index", "%69ndex.json"),
        ("", ".json"),
        ("a\x00\ud83d", "a%00%ED%A0%BD.json"),
    ],
)
def test_call_file_name_is_a_plain_name(call_id: str, name: str) -> None:
    assert call_file_name(call_id) == name


def test_long_ids_with_one_beginning_have_names_of_their_own() -> None:
    names = {call_file_name("ü" * 190 + end) for end in "abc"}

    assert len(names) == 3
    assert all(len(name) <= 205 for name in names)


def test_camel_dialect_says_the_same_in_the_same_order() -> None:
    calls = verdicts(verdict(factual=False))
    exported = camel_export(calls)

    assert list(exported) == [
        "callType", "runId", "judgedAt", "judgeModel", "verdicts", "aggregate",
    ]  # fmt: skip
    assert list(exported["verdicts"][0]) == [
        "callId", "schemaOk", "schemaRationale", "factuallyGrounded", "factualRationale",
        "hallucinationFree", "hallucinationRationale", "pass", "worstOffender",
    ]  # fmt: skip
    assert list(exported["aggregate"]) == [
        "n", "schemaPass", "factualPass", "hallucinationFreePass", "overallPass",
    ]  # fmt: skip
    assert exported["verdicts"][0]["worstOffender"] == "3 files"
