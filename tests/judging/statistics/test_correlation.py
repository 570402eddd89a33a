from math import sqrt

import pytest

from judgeweb.judging.statistics.correlation import (
    Correlation,
    NoCorrelation,
    interval_of,
    pearson,
)
from tests.judging.statistics.fixtures import TOLERANCE, fixture


def test_pearson_ci_fixture() -> None:
    given, expected = fixture("pearson_ci")

    found = interval_of(given["r"], given["n"])

    assert (found.r, found.n) == (0.72, 40)
    assert [found.lo, found.hi] == pytest.approx([expected["lo"], expected["hi"]], abs=TOLERANCE)


def test_pearson_by_hand() -> None:
    # mx = 3, my = 4; dx = -2 -1 0 1 2, dy = -2 0 1 0 1
    # sum dx dy = 4 + 0 + 0 + 0 + 2 = 6; sum dx^2 = 10, sum dy^2 = 6; r = 6 / sqrt(60)
    found = pearson([1, 2, 3, 4, 5], [2, 4, 5, 4, 5])

    assert isinstance(found, Correlation)
    assert found.r == pytest.approx(6 / sqrt(60), abs=1e-15)
    # atanh(0.774597) = 1.031718, 1.959964 / sqrt(2) = 1.385904: tanh(-0.354186), tanh(2.417622)
    assert [found.lo, found.hi] == pytest.approx([-0.340082, 0.984236], abs=1e-6)


@pytest.mark.parametrize(("sign", "expected"), [(1, 1.0), (-1, -1.0)])
def test_pearson_on_a_line_is_one_exactly(sign: int, expected: float) -> None:
    lengths = [120, 340, 410, 560, 700, 815, 990, 1200, 1350, 1500]
    totals = [sign * (50 + 0.01 * length) for length in lengths]

    assert pearson(lengths, totals) == Correlation(expected, 10, expected, expected)


def test_pearson_far_from_zero_keeps_its_digits() -> None:
    far = [1e12 + value for value in (1, 2, 3, 4, 5)]

    found = pearson(far, [2, 4, 5, 4, 5])

    assert isinstance(found, Correlation)
    assert found.r == pytest.approx(6 / sqrt(60), abs=1e-12)


def test_pearson_of_pass_and_fail_is_point_biserial() -> None:
    # Passed: lengths 10, 20 (mean 15); failed: 30, 40, 50 (mean 40); all: mean 30, sd 14.142136
    # (15 - 40) / 14.142136 * sqrt(0.4 * 0.6) = -0.866025
    found = pearson([10, 20, 30, 40, 50], [1, 1, 0, 0, 0])

    assert isinstance(found, Correlation)
    assert found.r == pytest.approx(-sqrt(3) / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], NoCorrelation.TOO_FEW),
        ([1, 2, 3, 4], [1, 2, 3, 4], NoCorrelation.TOO_FEW),
        ([7, 7, 7, 7, 7], [1, 2, 3, 4, 5], NoCorrelation.CONSTANT_X),
        ([1, 2, 3, 4, 5], [80.1] * 5, NoCorrelation.CONSTANT_Y),
    ],
)
def test_pearson_says_why_there_is_none(
    x: list[float], y: list[float], reason: NoCorrelation
) -> None:
    assert pearson(x, y) is reason


def test_what_makes_no_pairs_is_refused() -> None:
    with pytest.raises(ValueError, match="do not make pairs"):
        pearson([1, 2], [1])
    with pytest.raises(ValueError, match="at least 5"):
        interval_of(0.5, 4)
