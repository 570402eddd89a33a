"""The quick reader may decline a line; what it takes is what the careful reader takes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verdicts_app.intake import call_lines
from verdicts_app.intake.call_lines import LineRefused
from verdicts_app.intake.ndjson import Line
from verdicts_app.intake.quick_lines import quick

CALL = {
    "call_id": "c1",
    "run_id": "r",
    "call_type": "planner",
    "model": "m",
    "system_prompt": "s",
    "user_content": "u",
    "response_content": "{}",
    "parsed_ok": True,
    "input_tokens": 1,
    "output_tokens": 2,
    "latency_ms": 3,
    "success": True,
    "failure_kind": None,
    "cgroup_applied": True,
    "ts": "2026-03-01T10:00:00.5Z",
}
TEXTS = st.text(st.sampled_from('a"\\{}:,\n\x00é😀\u2028'), max_size=12)
VALUES = st.one_of(
    TEXTS,
    st.none(),
    st.booleans(),
    st.integers(-2, 2**64),
    st.floats(allow_nan=False),
    st.sampled_from(
        ["2026-03-01T10:00:00+05:30", "2026-03-01T10:00:00", "x" * 201, [], {"a": "b"}]
    ),
)
NAMES = [*CALL, "callId", "latencyMs", "extra"]
MEMBERS = st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=3)


def written(members: list[tuple[str, Any]], *, is_ascii: bool = True) -> Line:
    parts = [f"{json.dumps(k)}:{json.dumps(v, ensure_ascii=is_ascii)}" for k, v in members]
    return Line(1, 0, ("{" + ", ".join(parts) + "}").encode())


@given(MEMBERS, st.sets(st.sampled_from(list(CALL))), st.booleans())
def test_quick_takes_nothing_that_the_careful_reader_refuses(
    more: list[tuple[str, Any]], left_out: set[str], is_ascii: bool
) -> None:
    members = [(name, value) for name, value in CALL.items() if name not in left_out]
    line = written([*members, *more], is_ascii=is_ascii)
    taken = quick(line)
    if taken is not None:
        assert taken == call_lines.read(line)


@given(st.tuples(TEXTS, TEXTS, TEXTS))
def test_usual_lines_are_taken(texts: tuple[str, str, str]) -> None:
    prompt, sent, said = texts
    call = {**CALL, "system_prompt": prompt, "user_content": sent, "response_content": said}
    for is_ascii in (True, False):
        line = written(list(call.items()), is_ascii=is_ascii)
        taken = quick(line)
        assert taken is not None
        assert taken == call_lines.read(line)


@pytest.mark.parametrize(
    "doubled",
    [
        '"call_id":"c2"',
        '"call\\u005fid":"c2"',
        '"model":"x\\\\"',
        '"model":"\\\\\\\\","model":"\\\\\\"\\\\"',
        '"parsed_ok":false',
        '"cgroup_applied" : false',
    ],
)
@pytest.mark.parametrize("sent", ["u", 'q"q', "\\", '\\"', '\\\\"', '"' * 7])
def test_a_doubled_key_is_never_taken_quickly(doubled: str, sent: str) -> None:
    first = written(list({**CALL, "user_content": sent}.items())).raw
    line = Line(1, 0, first[:-1] + b"," + doubled.encode() + b"}")
    assert quick(line) is None
    with pytest.raises(LineRefused, match="twice with different values"):
        call_lines.read(line)
