"""What is shown of a file before it is uploaded."""

import gzip
import json
from collections.abc import Iterator

import pytest

from verdicts_app.intake.preview import FileKind, PreviewLine, preview

CALL = {
    "call_id": "c1",
    "call_type": "planner",
    "model": "m",
    "user_content": "u",
    "response_content": "{}",
    "parsed_ok": True,
}
LINE = json.dumps(CALL).encode() + b"\n"


@pytest.mark.parametrize("content", [LINE, b"\xef\xbb\xbf\r\n" + LINE, gzip.compress(LINE)])
def test_captures_are_recognised_and_shown(content: bytes) -> None:
    found = preview("calls.NDJSON", [content])
    assert found.kind == FileKind.CAPTURES
    assert [line[1:] for line in found.lines] == [("c1", "planner", "m", "")]


def test_lines_that_will_be_refused_say_why() -> None:
    bad = json.dumps({**CALL, "parsed_ok": "yes"}).encode()
    found = preview("calls.ndjson", [b"x\n" + bad + b"\n"])
    assert found.kind == FileKind.CAPTURES
    assert found.lines == (
        PreviewLine(1, fault="not JSON: Expecting value at column 1"),
        PreviewLine(2, fault='parsed_ok: expected true or false, not "yes"'),
    )


def test_no_more_is_read_than_is_shown() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield LINE

    assert len(preview("calls.ndjson", endless()).lines) == 5


def test_answers_are_left_to_their_own_reader() -> None:
    answer = b'{"spec":"a:b","response":"x"}\n'
    assert preview("results.json", [LINE]).kind == FileKind.ANSWERS
    assert preview("results.jsonl", [answer]).kind == FileKind.ANSWERS


def test_empty_and_damaged_files_say_so() -> None:
    assert preview("calls.ndjson", []).fault == "the file is empty"
    assert preview("calls.ndjson.gz", [b"\x1f\x8bnonsense"]).fault.startswith("not gzip: ")
