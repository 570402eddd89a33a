import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging import strict_json
from judgeweb.judging.strict_json import DEEPEST, NotJson, parse, same

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_parse_reads_what_was_written(value: Any) -> None:
    assert same(parse(json.dumps(value)), value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("NaN", "NaN is not a JSON number"),
        ('{"a": -Infinity}', "-Infinity is not a JSON number"),
        ("[1e999]", "the number 1e999 is out of range"),
        ("1" * 309 + "0", "is out of range"),
        ("1" * 5000, "is out of range"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice with different values"),
        ('{"a": 1, "a": true}', "the key 'a' stands twice with different values"),
        ("\ufeff{}", "at line 1, column 1"),
        ("```json\n{}\n```", "at line 1, column 1"),
        ('{"a": "\n"}', "Invalid control character"),
        ("{}{}", "Extra data at line 1, column 3"),
        ("", "at line 1, column 1"),
        ("[" * 6000 + "]" * 6000, "nested deeper than 200 levels"),
        ("[" * 6000, "nested deeper than 200 levels"),
    ],
)
def test_parse_names_what_is_not_json(text: str, why: str) -> None:
    with pytest.raises(NotJson, match="^.*" + why.replace("(", r"\(")):
        parse(text)


def test_parse_lets_equal_doubles_nul_and_surrogates_through() -> None:
    assert parse('{"a": [1], "a": [1]}') == {"a": [1]}
    assert parse(r'"a\u0000\ud83d"') == "a\x00\ud83d"
    assert parse(" \t\r\n[] \n") == []


def test_parse_refuses_equal_doubles_where_keys_stand_once() -> None:
    decoder = strict_json.strict_decoder(keys_once=True)
    with pytest.raises(NotJson, match="the key 'a' stands twice in one object"):
        parse('{"a": [1], "a": [1]}', decoder=decoder)
    assert parse('[{"a": 1}, {"a": 1}]', decoder=decoder) == [{"a": 1}, {"a": 1}]


def test_numerals_are_read_as_asked() -> None:
    decoder = strict_json.strict_decoder(read_float=Decimal)
    assert str(parse("[1.10, 2e1, 3]", decoder=decoder)) == "[Decimal('1.10'), Decimal('2E+1'), 3]"
    with pytest.raises(NotJson):
        parse("[NaN]", decoder=decoder)


@given(st.text(alphabet='[]{}"\\\n a', max_size=60))
def test_depth_is_counted_as_by_hand(text: str) -> None:
    """However strings end, brackets of the text count outside of them alone."""
    depth = deepest = 0
    in_string = escaped = False
    for char in text:
        if in_string:
            in_string = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            in_string = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    padded = "[" * (DEEPEST - deepest) + text
    assert not strict_json._is_deep(padded)
    assert strict_json._is_deep("[" + padded)


def test_parse_counts_brackets_outside_strings_only() -> None:
    deep = "[" * DEEPEST + '"' + "[" * 300 + r"\"[\\" + '"' + "]" * DEEPEST

    assert parse(deep)
    with pytest.raises(NotJson):
        parse(f"[{deep}]")


def test_same_keeps_true_apart_from_one() -> None:
    assert same({"a": [1, Decimal("1.0")]}, {"a": [Decimal("1.00"), 1]})
    assert not same(True, 1)
    assert not same({"a": 1}, {"b": 1})
    assert not same([1], {"a": 1})
