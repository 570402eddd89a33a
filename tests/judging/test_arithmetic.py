import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging.arithmetic import (
    added,
    at_path,
    band_of,
    compare_stated,
    pick_stated,
    plain,
    round_half_up,
    without_persona,
)
from judgeweb.judging.types import Stated
from tests.judging.world import rubric


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(7985, 100), 1, "79.9"),  # 79.85: half-up, not half-even and not float
        (Fraction(7984999, 100000), 1, "79.8"),
        (Fraction(1, 2), 0, "1"),
        (Fraction(-1, 2), 0, "-1"),
        (Fraction(-1, 100), 1, "0.0"),
        (Fraction(100), 1, "100.0"),
        (Fraction(1, 3), 6, "0.333333"),
    ],
)
def test_round_half_up(value: Fraction, digits: int, text: str) -> None:
    assert round_half_up(value, digits) == text


@given(st.fractions(-200, 200, max_denominator=10**6), st.integers(0, 6))
def test_round_half_up_is_the_nearest_and_a_half_goes_away_from_zero(
    value: Fraction, digits: int
) -> None:
    nearest = math.floor(abs(value) * 10**digits + Fraction(1, 2))
    assert abs(Fraction(round_half_up(value, digits))) * 10**digits == nearest


@given(st.lists(st.fractions(max_denominator=1000), max_size=6))
def test_added_is_the_sum(values: list[Fraction]) -> None:
    assert added(values) == sum(values, Fraction(0))


def test_plain_drops_trailing_zeros() -> None:
    assert plain(Fraction(20)) == "20"
    assert plain(Fraction(75, 4)) == "18.75"
    assert plain(Fraction(66, 97)) == "0.680412"
    assert plain(Fraction(10), 0) == "10"
    assert plain(None) == "–"


@pytest.mark.parametrize(
    ("value", "band"),
    [("1", "1-2"), ("2.5", "1-2"), ("7.5", "7-8"), ("8.5", "7-8"), ("9", "9-10"), ("10", "9-10")],
)
def test_band_of_decimal_belongs_below_until_it_reaches_the_next(value: str, band: str) -> None:
    assert band_of(rubric("solo").dimensions[0], Fraction(value)) == band


def test_band_of_without_bands_is_empty() -> None:
    assert band_of(rubric("checklist").dimensions[0], Fraction(8)) == ""


def test_without_persona_scales_the_rest_to_100() -> None:
    parts = {"detection": Fraction(30), "quality": Fraction(15), "persona": Fraction(25)}

    # (30 + 15) x 100 / 75
    assert without_persona(rubric("checklist"), parts) == 60


def test_without_persona_is_none_where_persona_is_all() -> None:
    only = rubric("solo").model_copy(update={"dimensions": rubric("solo").dimensions[3:]})

    assert without_persona(only, {"persona": Fraction(80)}) is None


@pytest.mark.parametrize(
    ("stated", "computed", "differs"),
    [
        (Decimal("75.7"), Fraction(51399, 679), False),
        (Decimal("75.698"), Fraction(51399, 679), False),
        (Decimal("79.8"), Fraction(51399, 679), True),
        (80, Fraction(80), False),
        (84, Fraction(80), True),
        (-1, Fraction(4), True),
        (Decimal("8E1"), Fraction(80), False),
        ("80", Fraction(80), True),
        (True, Fraction(1), True),
        (None, Fraction(1), True),
        (None, None, False),
        (Decimal("1.0"), None, True),
    ],
)
def test_compare_stated(stated: object, computed: Fraction | None, differs: bool) -> None:
    [one] = compare_stated({"total": stated}, {"total": computed})

    assert one.differs is differs


def test_compare_stated_keeps_what_was_said() -> None:
    assert compare_stated({"total": Decimal("79.80")}, {"total": Fraction(80)}) == (
        Stated("total", "79.80", "80", True),
    )


def test_pick_stated_takes_only_what_is_there() -> None:
    payload = {"detection": {"metrics": {"recall": 1}, "subtotal": None}}

    assert pick_stated(payload, ["detection.metrics.recall", "detection.subtotal", "x.y"]) == {
        "detection.metrics.recall": 1,
        "detection.subtotal": None,
    }
    assert at_path({"a": 1}, "a.b") == (False, None)
