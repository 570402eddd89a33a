"""Captured calls into a run: cases 80 to 92, once each, lossless, retries linked."""

import gzip
import itertools
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgeweb.access.models import AuditEntry
from verdicts_app.intake import captures
from verdicts_app.intake.captures import CallsReceipt, Interrupted
from verdicts_app.intake.responses import RunRefused
from verdicts_app.models import Capture, Run, SystemPromptText

CASES = Path(__file__).parents[2] / "cases"
pytestmark = pytest.mark.django_db


def line(call_id: str = "c1", **fields: Any) -> bytes:
    call = {
        "call_id": call_id,
        "call_type": "planner",
        "user_content": "u",
        "response_content": "{}",
        "parsed_ok": True,
    }
    return json.dumps({**call, **fields}).encode() + b"\n"


def take(*chunks: bytes, run_id: str = "r1", **more: Any) -> CallsReceipt:
    return captures.take_in(run_id=run_id, chunks=chunks, user=None, actor="test", **more)


def case(name: str) -> CallsReceipt:
    return take((CASES / name).read_bytes())


def refused(receipt: CallsReceipt) -> dict[int, str]:
    return {r.line: f"{r.field}: {r.reason}" if r.field else r.reason for r in receipt.refused}


def rows() -> list[tuple[Any, ...]]:
    return list(Capture.objects.order_by("id").values_list())


# --- the cases ----------------------------------------------------------------------------------


def test_080_byte_order_mark_at_the_start_alone() -> None:
    assert (case("080_bom.ndjson").accepted, Capture.objects.count()) == (3, 3)
    receipt = take(line("a"), b"\xef\xbb\xbf" + line("b"), line("c"))
    assert receipt.accepted == 2
    assert refused(receipt) == {2: "a byte order mark in the middle of the file"}


def test_082_windows_line_ends_and_blank_lines() -> None:
    receipt = case("082_crlf.ndjson")
    assert (receipt.accepted, receipt.refused_total, receipt.lines) == (3, 1, 4)
    assert refused(receipt)[5].startswith("not JSON: ")
    assert list(Capture.objects.values_list("line_number", flat=True)) == [1, 4, 6]


def test_083_torn_last_line_is_reported_and_the_rest_stands() -> None:
    receipt = case("083_torn.ndjson")
    assert receipt.accepted == 3
    assert refused(receipt) == {4: "line 4 incomplete, ignored"}
    assert not receipt.interrupted


def test_085_valid_json_of_the_wrong_shape() -> None:
    receipt = case("085_shape.ndjson")
    assert receipt.accepted == 2
    assert refused(receipt) == {
        1: 'expected an object, not "abc"',
        2: "expected an object, not 42",
        3: "expected an object, not []",
        4: "expected an object, not null",
        5: "call_id: expected text that is not blank, not 1",
    }
    assert set(Capture.objects.values_list("response_content", "success")) == {
        (None, True),
        (None, False),
    }


def test_086_glued_objects_are_not_half_read() -> None:
    receipt = case("086_glued.ndjson")
    assert receipt.accepted == 1
    assert sorted(refused(receipt)) == [1, 2]


def test_088_time_stamps_are_stored_in_utc_with_their_text() -> None:
    receipt = case("088_ts.ndjson")
    assert sorted(refused(receipt)) == [5, 6, 7, 8]
    assert all(text.startswith("ts: expected an ISO-8601") for text in refused(receipt).values())
    noon = datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert list(Capture.objects.order_by("id").values_list("at", "at_text")) == [
        (noon, "2026-03-01T10:00:00Z"),
        (noon.replace(microsecond=100_000), "2026-03-01T10:00:00.1Z"),
        (noon.replace(microsecond=123_456), "2026-03-01T10:00:00.123456789Z"),
        (noon.replace(hour=4, minute=30), "2026-03-01T10:00:00+05:30"),
    ]


def test_089_numbers_out_of_reach_are_refused_by_line_and_field() -> None:
    receipt = case("089_ints.ndjson")
    assert sorted(refused(receipt)) == [1, 2, 3, 4, 6]
    assert all(r.field == "input_tokens" for r in receipt.refused)
    stored = Capture.objects.order_by("id").values_list("input_tokens", flat=True)
    assert list(stored) == [12, 1000]


def test_091_invalid_utf8_is_refused_with_its_place() -> None:
    receipt = case("091_bad_utf8.ndjson")
    assert receipt.accepted == 2
    raw = (CASES / "091_bad_utf8.ndjson").read_bytes()
    at = raw.index(b"\xc3(")
    in_line = at - raw.index(b"\n") - 1
    expected = f"not UTF-8: byte {in_line} of the line, byte {at} of the file is 0xC3"
    assert refused(receipt) == {2: expected}


def test_092_an_empty_file_is_no_run() -> None:
    receipt = take()
    assert (receipt.lines, receipt.taken) == (0, 0)
    assert not Run.objects.exists()


# --- fields -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"call_id": " "}, "call_id: expected text that is not blank"),
        ({"call_id": "a\0"}, "call_id: must not hold NUL or lone surrogates"),
        ({"call_id": "a" * 201}, "call_id: 201 characters; at most 200 are allowed"),
        ({"call_type": None}, "call_type: expected text that is not blank, not null"),
        ({"user_content": None}, "user_content: expected text, not null"),
        ({"response_content": {"a": 1}}, 'response_content: expected text or null, not {"a": 1}'),
        ({"parsed_ok": "true"}, 'parsed_ok: expected true or false, not "true"'),
        ({"parsed_ok": None}, "parsed_ok: expected true or false, not null"),
        ({"success": 1}, "success: expected true or false, not 1"),
        ({"model": 5}, "model: expected text or null, not 5"),
        ({"model": "\0" * 40}, "model: 40 characters"),
        ({"latency_ms": -1}, "latency_ms: expected 0 to"),
        ({"latency_ms": 1e300}, "latency_ms: expected 0 to"),
        ({"latency_ms": True}, "latency_ms: expected a number, not true"),
        ({"output_tokens": 2**63}, "output_tokens: expected 0 to"),
        ({"ts": ""}, "ts: expected an ISO-8601 time"),
        ({"ts": "0001-01-01T00:00:00+05:00"}, "ts: expected an ISO-8601 time"),
        ({"ts": "2026-02-30T00:00:00Z"}, "ts: expected an ISO-8601 time"),
        ({"callId": "other"}, "call_id: stands twice with different values"),
    ],
)
def test_a_bad_value_is_refused_by_field(fields: dict[str, Any], reason: str) -> None:
    receipt = take(line(**fields))
    assert refused(receipt)[1].startswith(reason)
    assert not Capture.objects.exists()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (
            b'{"call_id":"a","call_id":"b"}\n',
            "the key 'call_id' stands twice with different values",
        ),
        (line()[:-2] + b',"call_id":"b"}\n', "the key 'call_id' stands twice"),
        (line()[:-2] + b',"extra":1,"extra":true}\n', "the key 'extra' stands twice"),
        (line()[:-2] + b',"latency_ms":NaN}\n', "NaN is not a JSON number"),
        (line()[:-2] + b',"latency_ms":1e999}\n', "the number 1e999 is out of range"),
        (line()[:-2] + b',"n":' + b"[" * 300 + b"]" * 300 + b"}\n", "nested deeper than 200"),
        (b"\x0c" + line(), "Expecting value at column 1"),
    ],
)
def test_json_is_read_strictly(raw: bytes, reason: str) -> None:
    assert refused(take(raw))[1].startswith(f"not JSON: {reason}")


def test_a_key_may_stand_twice_with_one_value() -> None:
    assert take(line()[:-2] + b',"call_id":"c1"}\n').accepted == 1


@pytest.mark.parametrize(
    "name", ["call_id", "call_type", "user_content", "response_content", "parsed_ok"]
)
def test_a_required_field_that_is_missing_is_named(name: str) -> None:
    call = json.loads(line())
    del call[name]
    assert refused(take(json.dumps(call).encode() + b"\n")) == {1: f"{name}: missing"}


def test_camel_case_and_unknown_fields_are_kept() -> None:
    sibling = {
        "callId": "c",
        "callType": "recon-replan",
        "model": "m",
        "systemPrompt": None,
        "userContent": "page …",
        "responseContent": None,
        "parsedOk": False,
        "inputTokens": None,
        "latencyMs": 812.5,
        "success": False,
        "errorMessage": "429 \0",
        "failureKind": "rate-limit",
        "ts": "2026-08-14T08:00:00+02:00",
    }
    take(json.dumps(sibling, ensure_ascii=False).replace("\0", "\\u0000").encode())
    stored = Capture.objects.get()
    assert (stored.call_type, stored.latency_ms, stored.failure_kind) == (
        "recon-replan",
        812.5,
        "rate-limit",
    )
    assert (stored.system_prompt, stored.input_tokens, stored.response_content) == (None,) * 3
    assert stored.at == datetime(2026, 8, 14, 6, tzinfo=UTC)
    assert json.loads(stored.extras) == {"errorMessage": "429 \0"}


def test_what_no_database_takes_is_shown_as_escapes_and_kept() -> None:
    odd = "NUL \0 and \ud83d alone, 😀 \\u0000 literally"
    call = line(user_content=odd, response_content=odd, system_prompt=odd, model="m\0", run_id="r")
    assert take(call).accepted == 1
    stored = Capture.objects.get()
    assert stored.user_content == "NUL \\u0000 and \\ud83d alone, 😀 \\u0000 literally"
    assert stored.original("user_content") == odd
    assert stored.original("response_content") == odd
    assert stored.original("model") == "m\0"
    assert stored.original("source_run_id") == "r"
    assert stored.system_prompt is not None
    assert stored.system_prompt.original == odd
    assert take(call).duplicate == 1


def test_line_separators_of_unicode_end_no_line() -> None:
    text = "a\u2028b\u0085c"
    raw = json.dumps(json.loads(line(user_content=text)), ensure_ascii=False).encode()
    assert take(raw).accepted == 1
    assert Capture.objects.get().user_content == text


def test_a_line_over_its_limit_is_refused_and_the_rest_stands(settings: Any) -> None:
    settings.CAPTURE_LINE_MAX_BYTES = 500
    receipt = take(line("a"), line("b", user_content="x" * 500), line("c"))
    assert receipt.accepted == 2
    assert refused(receipt) == {2: "longer than the 500 bytes that a line may have"}


def test_system_prompts_are_stored_once() -> None:
    take(line("a", system_prompt="s"), line("b", system_prompt="s"), run_id="one")
    take(line("a", system_prompt="s"), line("b", system_prompt=""), run_id="two")
    assert sorted(SystemPromptText.objects.values_list("text", flat=True)) == ["", "s"]


# --- once each ----------------------------------------------------------------------------------


def test_sending_twice_changes_nothing() -> None:
    content = (CASES / "082_crlf.ndjson").read_bytes()
    first = take(content)
    before = rows()
    second = take(content)
    assert (second.accepted, second.duplicate, second.refused) == (0, 3, first.refused)
    assert rows() == before


def test_other_content_under_a_known_id_is_refused_and_the_first_stands() -> None:
    receipt = take(line("a"), line("a", response_content="[]"), line("a"))
    assert (receipt.accepted, receipt.duplicate) == (1, 1)
    reason = "call_id: another call with the id 'a' is stored; the first stands"
    assert refused(receipt) == {2: reason}
    assert refused(take(line("a", model="m"))) == {1: reason}
    assert Capture.objects.get().response_content == "{}"


def test_the_same_content_in_another_spelling_is_a_duplicate() -> None:
    take(line("a", input_tokens=12, user_content="é"))
    other = json.dumps(
        {
            "parsedOk": True,
            "callType": "planner",
            "callId": "a",
            "inputTokens": 12.0,
            "userContent": "é",
            "responseContent": "{}",
            "model": None,
        },
        ensure_ascii=False,
    )
    assert take(other.encode()).duplicate == 1


@pytest.mark.parametrize(
    "other", [{"response_content": None}, {"response_content": ""}, {"success": False}, {"x": 1}]
)
def test_null_empty_and_absent_are_told_apart(other: dict[str, Any]) -> None:
    take(line("a"))
    assert take(line("a", **other)).refused_total == 1


def test_the_same_id_in_another_run_is_another_capture() -> None:
    assert take(line("a"), run_id="one").accepted == 1
    assert take(line("a"), run_id="two").accepted == 1


NUMBERS = itertools.count()
MIXED = b"".join(
    [
        b"\xef\xbb\xbf",
        line("a", user_content="Plan it."),
        line("b", user_content="Plan it.\n\nYOUR ATTEMPT FAILED: no JSON"),
        b"\n{broken\n",
        line("a", user_content="Plan it."),
        line("a", user_content="other"),
        line("c", user_content="\u2028\ud800\0"),
        line("d")[:20],
    ]
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.integers(1, len(MIXED) - 1), max_size=12), st.booleans())
def test_any_chunking_gives_the_same_receipt_and_rows(places: list[int], is_gzip: bool) -> None:
    run_id = f"run-{next(NUMBERS)}"
    data = gzip.compress(MIXED) if is_gzip else MIXED
    edges = [0, *sorted(place % len(data) for place in places), len(data)]
    pieces = [data[start:end] for start, end in itertools.pairwise(edges)]
    receipt = take(*pieces, run_id=run_id)
    assert (receipt.lines, receipt.accepted, receipt.duplicate) == (7, 3, 1)
    assert sorted(refused(receipt)) == [4, 6, 8]
    stored = Capture.objects.filter(run__run_id=run_id).order_by("id")
    assert list(stored.values_list("call_id", "line_number", "retry_of__call_id")) == [
        ("a", 1, None),
        ("b", 2, "a"),
        ("c", 7, None),
    ]


def test_in_pieces_and_again_is_as_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captures, "BATCH_LINES", 2)
    whole = [line(f"c{n}", user_content=f"u{n}") for n in range(7)]
    first = take(*whole[:3])
    second = take(*whole[2:5])
    third = take(*whole)
    assert [(r.accepted, r.duplicate) for r in (first, second, third)] == [(3, 0), (2, 1), (2, 5)]
    assert list(Capture.objects.values_list("call_id", flat=True)) == [f"c{n}" for n in range(7)]


def test_what_came_before_a_break_is_stored_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captures, "BATCH_LINES", 2)

    def broken() -> Iterator[bytes]:
        yield b"".join(line(f"c{n}") for n in range(3)) + line("c3")[:-1]
        raise Interrupted("the connection was lost after 99 bytes")

    receipt = captures.take_in(run_id="r1", chunks=broken(), user=None, actor="test")
    assert (receipt.accepted, receipt.refused_total) == (3, 0)
    assert receipt.interrupted == "the connection was lost after 99 bytes"
    assert Capture.objects.count() == 3
    again = take(*(line(f"c{n}") for n in range(5)))
    assert (again.accepted, again.duplicate) == (2, 3)


def test_damaged_gzip_keeps_what_came_before() -> None:
    content = gzip.compress(b"".join(line(f"c{n}") for n in range(2000)), compresslevel=1)
    receipt = take(content[:-100])
    assert receipt.interrupted == "the gzip stream cannot be read on: it ends in the middle"
    assert 0 < receipt.accepted < 2000
    assert Capture.objects.count() == receipt.accepted
    assert take(content).duplicate == receipt.accepted


def test_refusals_are_counted_all_and_listed_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captures, "REFUSALS_LISTED", 3)
    receipt = take(b"x\n" * 10)
    assert (receipt.refused_total, [r.line for r in receipt.refused]) == (10, [1, 2, 3])


def test_a_run_is_named_as_for_answers() -> None:
    with pytest.raises(RunRefused):
        take(line(), run_id="a/b")


def test_an_upload_is_in_the_audit_log() -> None:
    take(line(), b"x\n")
    take(line())
    (entry,) = AuditEntry.objects.filter(action="upload captures")
    assert (entry.actor, entry.target, entry.detail) == ("test", "r1", "1 new, 0 known, 1 refused")


# --- retries ------------------------------------------------------------------------------------


def retries_of(*calls: bytes, run_id: str = "r1") -> dict[str, str | None]:
    take(*calls, run_id=run_id)
    stored = Capture.objects.filter(run__run_id=run_id)
    return dict(stored.values_list("call_id", "retry_of__call_id"))


NOTE = "\n\nYOUR PREVIOUS ATTEMPT FAILED: no JSON"


def test_a_retry_repeats_the_input_with_a_note() -> None:
    assert retries_of(
        line("a", user_content="Plan\nit."),
        line("b", user_content="Plan\nit." + NOTE),
        line("c", user_content="Plan\nit." + NOTE + NOTE),
        line("d", user_content="Plan\nit.\nAgain."),
        line("e", user_content="Plan\nit."),
        line("f", user_content="Plan\nit." + NOTE + "!"),
        line("g", user_content="Plan"),
    ) == {"a": None, "b": "a", "c": "b", "d": "a", "e": None, "f": "e", "g": None}


def test_a_retry_has_the_call_type_prompt_and_run_of_the_earlier_attempt() -> None:
    earlier = line("a", user_content="Plan it.", system_prompt="s")
    assert retries_of(
        earlier,
        line("b", user_content="Plan it." + NOTE, system_prompt="t"),
        line("c", user_content="Plan it." + NOTE),
        line("d", user_content="Plan it." + NOTE, system_prompt="s", call_type="other"),
        line("e", user_content="Plan it." + NOTE, system_prompt="s"),
    ) == {"a": None, "b": None, "c": None, "d": None, "e": "a"}
    later = line("x", user_content="Plan it." + NOTE, system_prompt="s")
    assert retries_of(later, run_id="r2") == {"x": None}


def test_a_retry_is_linked_across_uploads_and_not_backwards() -> None:
    assert retries_of(line("b", user_content="Plan it." + NOTE)) == {"b": None}
    retries_of(line("a", user_content="Plan it."))
    linked = retries_of(line("c", user_content="Plan it." + NOTE))
    assert linked == {"a": None, "b": None, "c": "a"}


def test_an_empty_input_is_repeated_by_nothing() -> None:
    assert retries_of(line("a", user_content=""), line("b", user_content="\nx")) == {
        "a": None,
        "b": None,
    }
