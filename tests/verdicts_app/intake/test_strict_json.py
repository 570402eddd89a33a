"""JSON read strictly: faults name their place."""

from typing import Any

import pytest

from verdicts_app.intake.strict_json import NotJson, parse


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"a": [1, 2.5, "x"]}', {"a": [1, 2.5, "x"]}),
        (b'\xef\xbb\xbf{"a": 1}\r\n', {"a": 1}),
        (b'"\\u0000\\ud83d"', "\x00\ud83d"),
        ('"\u2028"'.encode(), "\u2028"),
        (b"[" * 200 + b"]" * 200, None),
    ],
)
def test_parse_reads_what_is_json(raw: bytes, value: Any) -> None:
    found = parse(raw)
    if value is not None:
        assert found == value


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"a": 1,\n "b" 2}', "line 2, column 6"),
        (b'{"a": 1, "a": 1}', "'a' stands twice"),
        (b'{"a": NaN}', "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b"[1e999]", "1e999"),
        (b"[" + b"9" * 5000 + b"]", "out of range"),
        (b'{"a": "\xc3("}', "byte 7 is not UTF-8 (0xC3)"),
        (b'\xef\xbb\xbf["\n\xff"]', "line 2, column 1"),
        (b"{} {}", "Extra data"),
        (b"", "line 1, column 1"),
        (b"[" * 201 + b"]" * 201, "200 levels"),
        (b"[" * 100_000, "200 levels"),
        (b'{"a": "x\ny"}', "line 1"),
    ],
)
def test_parse_refuses_with_the_place(raw: bytes, words: str) -> None:
    with pytest.raises(NotJson) as refused:
        parse(raw)
    assert words in str(refused.value)
