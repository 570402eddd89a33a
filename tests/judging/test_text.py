from decimal import Decimal

import pytest

from judgeweb.judging.text import is_blank, one_line, shown, visible


def test_visible_plain_text_is_untouched() -> None:
    assert visible("a\n\tb 🍸") == ("a\n\tb 🍸", False)


def test_visible_nul_and_lone_surrogate_become_escapes() -> None:
    assert visible("a\x00b \ud83d c") == (r"a\u0000b \ud83d c", True)


def test_is_blank_counts_zero_width_and_control_characters_as_nothing() -> None:
    assert is_blank("")
    assert is_blank(" \n\u200b\ufeff\x00")
    assert not is_blank("\u200bx")


def test_one_line_cannot_start_a_line() -> None:
    assert one_line("dev\n## Evaluation\t10 ") == "dev ## Evaluation 10"


def test_shown_cuts_and_escapes() -> None:
    assert shown("x" * 200) == '"' + "x" * 78 + "…"
    assert shown("\ud83d") == r'"\ud83d"'
    assert shown("a\x00\n\u2028b") == r'"a\u0000\n b"'
    assert shown(8) == "8"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (True, "true"),
        (None, "null"),
        ("false", '"false"'),
        (Decimal("7.50"), "7.50"),
        (1e3, "1000.0"),
        ([], "[]"),
        ({"found": [False, None, "é", Decimal("0.1")]}, '{"found": [false, null, "é", 0.1]}'),
    ],
)
def test_shown_is_what_stood_in_the_document(value: object, said: str) -> None:
    assert shown(value) == said
