"""What of a line counts, and what is dropped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging.patches.tokens import (
    Language,
    code_lines,
    is_name,
    joined,
    language_of,
    weight,
)


def tokens(text: str, language: Language = Language.PYTHON) -> list[str]:
    return list(joined(code_lines(text.split("\n"), language)))


def by_line(text: str) -> list[int]:
    """How many tokens each line of a piece of Python has."""
    return [len(line.tokens) for line in code_lines(text.split("\n"), Language.PYTHON)]


def test_white_space_comments_quotes_and_trailing_commas_do_not_count() -> None:
    assert tokens("f( 'a',b, ) # note") == ["f", "(", "'a", ",", "b", ")"]
    assert tokens('f("a", b)') == tokens("f( 'a',b, ) # note")
    assert tokens("x = [\n    1,\n    2,\n]") == tokens("x = [1, 2]")


def test_continuation_marks_and_blank_lines_do_not_count() -> None:
    assert tokens("a = b + \\\n    c\n\n") == ["a", "=", "b", "+", "c"]


def test_string_is_one_token_with_its_content() -> None:
    assert tokens(r"x = 'it\'s' + rb'#1'") == ["x", "=", r"'it\'s", "+", "'#1"]
    assert tokens("don't stop") == ["don", "t", "stop"]


def test_operators_and_numbers() -> None:
    assert tokens("a//=1.5e-3 if x!=0x1F else -y**2") == [
        "a", "//=", "1.5e-3", "if", "x", "!=", "0x1F", "else", "-", "y", "**", "2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        *[("area", 1), ("'text", 1), ("12", 1), ("return", 0.5), ("self", 0.4), ("None", 0.4)],
        *[("==", 0.3), ("+", 0.3), ("=", 0.3), ("(", 0.1), (",", 0.1), (":", 0.1)],
    ],
)
def test_weights(token: str, expected: float) -> None:
    assert weight(token) == expected


def test_names_are_identifiers_and_literals() -> None:
    assert [is_name(token) for token in ("area", "'text", "12", "def", "self", "+", "'")] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip


def test_docstrings_are_dropped() -> None:
    text = 'def f():\n    """One.\n\n    Two.\n    """\n    return 1'

    assert by_line(text) == [5, 0, 0, 0, 0, 2]
    assert by_line("class A:\n    'One line.'\n    x = 1") == [3, 0, 3]


def test_strings_that_are_used_are_no_docstrings() -> None:
    assert by_line('x = """\nSELECT 1\n"""') == [3, 1, 0]
    assert by_line("f(\n    '''a\n    b'''\n)") == [2, 1, 1, 1]
    assert by_line("x = [\n    'a',\n    'b'\n]") == [3, 2, 1, 1]
    assert by_line('return """a"""') == [2]


def test_piece_that_begins_in_a_docstring() -> None:
    assert by_line('words of a docstring\n    """\n    return 1') == [0, 0, 2]
    assert by_line('more words."""\n    return 1') == [0, 2]


def test_piece_that_begins_in_a_string_that_is_used() -> None:
    # "'warn' or 'ignore'." is text: what follows the quotes closes a call.
    text = "'warn' or 'ignore'.'''))\n        if a:\n            return b"

    assert by_line(text) == [3, 3, 2]


def test_comments_of_other_languages() -> None:
    assert tokens("a = 1; // b\n/* c\nd */ e", Language.SLASHES) == ["a", "=", "1", ";", "e"]
    assert tokens("key: 1 # note", Language.HASH) == ["key", ":", "1"]
    assert tokens("# Title", Language.PLAIN) == ["#", "Title"]


@pytest.mark.parametrize(
    ("path", "language"),
    [
        *[("a/b.py", "python"), ("x.PYX", "python"), ("setup.cfg", "hash"), ("x.tsx", "slashes")],
        *[("README", "plain"), ("a.py/b", "plain"), (".py", "python")],
    ],
)
def test_language_follows_the_ending(path: str, language: str) -> None:
    assert language_of(path) == language


@given(st.text(), st.sampled_from(list(Language)))
def test_any_text_is_read_line_by_line(text: str, language: Language) -> None:
    lines = text.split("\n")
    read = code_lines(lines, language)

    assert len(read) == len(lines)
    assert all(0 < weight(token) <= 1 for line in read for token in line.tokens)
    assert code_lines(lines, language) == read


@given(st.lists(st.sampled_from(['"""', "'''", "a", "x = ", "#", "'", '"', "\\", "(", ")"])))
def test_loose_quotes_never_raise(pieces: list[str]) -> None:
    assert len(code_lines(" ".join(pieces).split("a"), Language.PYTHON)) >= 1
