import json
from decimal import Decimal
from fractions import Fraction

import pytest

from judgeweb.judging.strict import NAMED_FAULTS, StrictReader, as_fraction
from judgeweb.judging.types import Flag, UnjudgedReason
from tests.judging.world import case_text


def mark(value: object, whole: bool = False) -> tuple[StrictReader, Fraction]:
    strict = StrictReader()
    return strict, strict.mark(value, "depth", whole=whole)[0]


@pytest.mark.parametrize("text", json.loads(case_text("013_score_text.json")))
def test_case_13_text_is_invalid_unless_it_is_a_bare_numeral(text: str) -> None:
    strict, value = mark(text)

    if text in ("8", " 8 "):
        assert value == 8
        assert strict.flags == [Flag.COERCED]
        assert strict.fault is None
    else:
        assert strict.fault is not None
        assert strict.fault.reason is UnjudgedReason.INVALID


@pytest.mark.parametrize("value", json.loads(case_text("014_range.json"), parse_float=Decimal))
def test_case_14_outside_the_scale_is_invalid_and_not_clamped(value: int | Decimal) -> None:
    strict, read = mark(value)

    if value == Decimal("7.5"):
        assert read == Fraction(15, 2)
        assert strict.fault is None
    else:
        assert strict.fault is not None
        assert "from 1 to 10" in strict.fault.detail


@pytest.mark.parametrize("value", [True, False, {}, [], "", "٨", "8e0", "+8", "0x8"])
def test_mark_of_another_type_is_invalid(value: object) -> None:
    strict, _ = mark(value)

    assert strict.fault is not None
    assert strict.fault.reason is UnjudgedReason.INVALID


def test_mark_missing_is_incomplete() -> None:
    strict, _ = mark(None)

    assert strict.fault is not None
    assert strict.fault.reason is UnjudgedReason.INCOMPLETE
    assert strict.fault.detail == "depth is missing"


def test_mark_whole_numbers_rule() -> None:
    assert mark(Decimal("7.5"), whole=True)[0].fault is not None
    assert mark(Decimal("7.0"), whole=True)[0].fault is None


@pytest.mark.parametrize("value", ["false", "partial", 0, 1, 2, None, [], ""])
def test_case_16_only_booleans_are_booleans(value: object) -> None:
    strict = StrictReader()
    strict.boolean({"found": value}, "found", "id C1")

    assert strict.fault is not None
    assert strict.fault.reason is UnjudgedReason.INVALID


def test_fault_quotes_json_and_not_python() -> None:
    strict = StrictReader()
    strict.boolean({"found": None}, "found", "id C1")
    strict.mark(True, "depth", whole=False)
    strict.mapping([None, False], "scores")

    assert strict.fault is not None
    assert strict.fault.detail == (
        "id C1: found must be true or false, not null; "
        "depth must be a number, not true; "
        "scores must be an object, not [null, false]"
    )


def test_boolean_missing_is_incomplete() -> None:
    strict = StrictReader()
    strict.boolean({}, "found", "id C1")

    assert strict.fault is not None
    assert strict.fault.detail == "id C1: found is missing"


def test_containers_of_the_wrong_type_are_faults() -> None:
    strict = StrictReader()

    assert strict.mapping([], "scores") == {}
    assert strict.mapping(None, "quality") == {}
    assert strict.rows({}, "items") == []
    assert strict.rows(None, "claims") == []
    assert strict.fault is not None
    assert strict.fault.reason is UnjudgedReason.INVALID
    assert strict.fault.detail == (
        "scores must be an object, not []; quality is missing; "
        "items must be a list, not {}; claims is missing"
    )


def test_fault_names_a_bounded_number_of_details() -> None:
    strict = StrictReader()
    for n in range(NAMED_FAULTS + 3):
        strict.incomplete(f"id {n}")

    assert strict.fault is not None
    assert strict.fault.detail.endswith("id 39; and 3 more")


def test_text_is_fit_for_pages() -> None:
    strict = StrictReader()

    assert strict.text(None) == ""
    assert strict.text("plain") == "plain"
    assert strict.flags == []
    assert strict.text("a\x00b") == r"a\u0000b"
    assert strict.text(["x", Decimal("1.5")]) == '["x", "1.5"]'
    strict.flag(Flag.ESCAPED_TEXT, "again")
    assert strict.flags == [Flag.ESCAPED_TEXT]
    assert strict.notes == ["again"]


def test_as_fraction_takes_numbers_only() -> None:
    assert as_fraction(Decimal("0.1")) == Fraction(1, 10)
    assert as_fraction(True) is None
    assert as_fraction("8") is None
