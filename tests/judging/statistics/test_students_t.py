"""Against tables, and against scipy.special."""

from math import inf

import numpy as np
import pytest
from scipy.special import stdtr, stdtrit

from judgeweb.judging.statistics.students_t import t_quantile, two_sided_p, two_sided_p_many

FREEDOMS = (0.5, 1, 2, 3, 7, 23.5, 99, 499, 501, 10_000, 1e6)


@pytest.mark.parametrize("df", FREEDOMS)
@pytest.mark.parametrize("t", [1e-3, 0.5, 1.0, 2.0, 5.0, 30.0])
def test_two_sided_p_as_scipy(df: float, t: float) -> None:
    assert two_sided_p(t, df) == pytest.approx(2 * float(stdtr(df, -t)), rel=1e-10, abs=1e-290)


@pytest.mark.parametrize("df", FREEDOMS)
@pytest.mark.parametrize("level", [0.01, 0.5, 0.8, 0.95, 0.99, 0.999999])
def test_t_quantile_as_scipy(df: float, level: float) -> None:
    assert t_quantile(level, df) == pytest.approx(float(stdtrit(df, (1 + level) / 2)), rel=1e-9)


# Printed in any table of Student's t, 95 % two-sided
@pytest.mark.parametrize(
    ("df", "expected"), [(1, 12.706), (2, 4.303), (3, 3.182), (10, 2.228), (30, 2.042)]
)
def test_t_quantile_as_printed_tables(df: int, expected: float) -> None:
    assert t_quantile(0.95, df) == pytest.approx(expected, abs=5e-4)


def test_two_sided_p_at_the_ends() -> None:
    assert two_sided_p(0, 5) == two_sided_p(1e-200, 5) == 1
    assert two_sided_p(inf, 5) == two_sided_p(-inf, 5) == 0
    assert two_sided_p(-2, 5) == two_sided_p(2, 5)


def test_t_quantile_of_nothing_is_zero() -> None:
    assert t_quantile(0, 5) == 0


def test_impossible_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        two_sided_p(1, 0)
    with pytest.raises(ValueError, match="share"):
        t_quantile(1, 5)


def test_many_at_once_are_the_same_as_one_by_one() -> None:
    pairs = [(t, df) for df in FREEDOMS for t in (0.0, 1e-3, 0.5, 2.2, -3.1, 40.0, inf)]
    t, df = np.array(pairs).T
    one_by_one = [two_sided_p(*pair) for pair in pairs]
    assert two_sided_p_many(t, df).tolist() == pytest.approx(one_by_one, rel=1e-10, abs=1e-290)
