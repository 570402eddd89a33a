import pytest

from judgeweb.judging.statistics.mcnemar import mcnemar_exact
from judgeweb.judging.statistics.rates import wilson
from tests.judging.statistics.fixtures import FIXTURES, TOLERANCE, fixture


@pytest.mark.parametrize("name", [name for name in FIXTURES if name.startswith("wilson")])
def test_wilson_fixture(name: str) -> None:
    given, expected = fixture(name)

    rate = wilson(given["k"], given["n"])

    assert rate is not None
    assert rate.rate == pytest.approx(expected["p"], abs=TOLERANCE)
    assert [rate.lo, rate.hi] == pytest.approx(expected["wilson"], abs=TOLERANCE)


def test_wilson_ends_are_exact() -> None:
    none, all_of_them = wilson(0, 10), wilson(10, 10)

    assert none is not None
    assert all_of_them is not None
    assert (none.lo, all_of_them.hi) == (0, 1)


def test_wilson_of_nothing_is_none() -> None:
    assert wilson(0, 0) is None


def test_wilson_design_effect_widens() -> None:
    plain, clustered = wilson(30, 100), wilson(15, 50)

    assert plain is not None
    assert clustered is not None
    assert plain.rate == clustered.rate
    assert clustered.lo < plain.lo < plain.hi < clustered.hi


@pytest.mark.parametrize(("found", "n"), [(-1, 5), (6, 5), (0, -1)])
def test_wilson_impossible_counts_are_refused(found: int, n: int) -> None:
    with pytest.raises(ValueError, match="no rate"):
        wilson(found, n)


def test_mcnemar_fixture() -> None:
    given, expected = fixture("mcnemar_exact")

    assert mcnemar_exact(given["b"], given["c"]) == pytest.approx(expected["p"], abs=TOLERANCE)


# 2 * (1 + 3) / 2^3 is capped at 1; 2 * 1 / 2^5
@pytest.mark.parametrize(("b", "c", "expected"), [(0, 0, 1), (1, 2, 1), (5, 0, 0.0625)])
def test_mcnemar_by_hand(b: int, c: int, expected: float) -> None:
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b) == expected


def test_mcnemar_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="no counts"):
        mcnemar_exact(-1, 2)
