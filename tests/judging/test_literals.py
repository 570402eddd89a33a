# ruff: noqa: RUF001 (typographic quotes are what is tested)
import time
from decimal import Decimal

import pytest

from judgeweb.judging.literals import (
    Broken,
    LiteralReader,
    exact_number,
    plain_object,
)

# Twenty times what it takes; a quadratic reader would need minutes.
LINEAR_S = 30


def read(text: str) -> dict[str, object]:
    return LiteralReader(text).read(0).value


def test_read_json_keeps_numbers_exact() -> None:
    value = read('{"a": 0.1, "b": 10, "c": [true, false, null, -2e1], "d": {}}')

    assert value == {
        "a": Decimal("0.1"),
        "b": 10,
        "c": [True, False, None, Decimal("-2e1")],
        "d": {},
    }
    assert isinstance(value["b"], int)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "x,}",}', {"a": "x,}"}),
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ("{'a': 'it\\'s', 'b': \"it's\"}", {"a": "it's", "b": "it's"}),
        ("{'a': 'say \"yes\"'}", {"a": 'say "yes"'}),
        ('{“a”: “it’s "so"”}', {"a": 'it’s "so"'}),
        ("{'a': True, 'b': None, 'c': False}", {"a": True, "b": None, "c": False}),
    ],
)
def test_read_repairs_without_touching_strings(text: str, value: dict[str, object]) -> None:
    literal = LiteralReader(text).read(0)

    assert literal.value == value
    assert literal.repaired


def test_read_control_characters_in_strings_are_no_repair() -> None:
    literal = LiteralReader('{"a": "x\n\ty"}').read(0)

    assert literal.value == {"a": "x\n\ty"}
    assert not literal.repaired


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{,}",
        '{"a"}',
        '{"a" 1}',
        '{"a": }',
        '{"a": 1 "b": 2}',
        '{"a": [1 2]}',
        '{"a": [1}',
        '{"a": "x}',
        '{"a": "\\q"}',
        "{'a': 'it's'}",
        "{“a”: “he said “no” twice”}",
        "{a: 1}",
        '{"a": 01}',
        '{"a": .5}',
        '{"a": 1.}',
        '{"a": +1}',
        '{"a": 8/10}',
        '{"a": 0x10}',
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": undefined}',
    ],
)
def test_read_what_is_no_object_is_broken(text: str) -> None:
    with pytest.raises(Broken):
        read(text)


def test_read_doubled_key_stands_where_its_values_are_the_same() -> None:
    assert read('{"a": {"b": [8, 1.0]}, "a": {"b": [8.0, 1]}}') == {"a": {"b": [8, 1]}}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 8, "a": 9}',
        '{"a": true, "a": 1}',
        '{"a": {"b": 1}, "a": {"c": 1}}',
        '{"a": [1], "a": [1, 1]}',
    ],
)
def test_read_doubled_key_with_two_values_is_broken(text: str) -> None:
    with pytest.raises(Broken, match="'a' occurs twice"):
        read(text)


@pytest.mark.parametrize(
    "text",
    ["1e999", "-1e999", "9" * 500, "1e999999999999", "0e999999999", "1e-999999999", "0e-9999"],
)
def test_exact_number_out_of_range_is_refused_before_it_costs_memory(text: str) -> None:
    with pytest.raises(Broken, match="out of range"):
        exact_number(text)


def test_exact_number_underflow_beyond_decimal_is_refused() -> None:
    with pytest.raises(Broken, match="out of range"):
        exact_number("1e-99999999999999999999")


def test_read_nesting_is_bounded() -> None:
    deep = '{"a":' * 99 + "1" + "}" * 99
    assert read(deep)
    with pytest.raises(Broken, match="nested deeper"):
        read('{"a":' * 101 + "1" + "}" * 101)


def test_read_an_object_known_to_be_broken_breaks_what_holds_it() -> None:
    reader = LiteralReader('{"a": {"b": 1}}')
    reader.failed.add(6)

    with pytest.raises(Broken, match="inside it is broken"):
        reader.read(0)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        '{"a":' * 20_000,
        '{"a":[' * 16_000,
        '{"' + "\\" * 100_000,
        '{"a":{}},' * 10_000,
    ],
)
def test_read_hostile_text_takes_linear_time(text: str) -> None:
    started = time.process_time()
    reader = LiteralReader(text)
    for start, char in enumerate(text):
        if char == "{" and start not in reader.failed:
            try:
                reader.read(start)
            except Broken:
                continue

    assert time.process_time() - started < LINEAR_S


FLAWLESS = '{"a": [1, 2.50, true, null, "x\\ty"], "b": {"c": -0.1e2}}'


def test_plain_object_reads_what_the_reader_reads() -> None:
    quick = plain_object(FLAWLESS)

    assert quick == LiteralReader(FLAWLESS).read(0)
    assert quick is not None
    assert [type(value) for value in quick.value["a"][:2]] == [int, Decimal]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": 1, "a": 2}',
        '{"a": 1,}',
        "{'a': 1}",
        '{"a": 1} and more',
        "[1]",
        '{"a": ' + "[" * 300 + "]" * 300 + "}",
    ],
)
def test_plain_object_leaves_everything_doubtful_to_the_reader(text: str) -> None:
    assert plain_object(text) is None
