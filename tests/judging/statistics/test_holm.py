import pytest

from judgeweb.judging.statistics.holm import benjamini_hochberg, holm
from tests.judging.statistics.fixtures import fixture


def test_holm_fixture() -> None:
    given, expected = fixture("holm")

    assert holm(given["p"]) == pytest.approx(expected["adjusted"])
    assert [p < 0.05 for p in holm(given["p"])] == expected["reject_05"]
    assert benjamini_hochberg(given["p"]) == pytest.approx(expected["bh"])


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_adjusted_of_none_one_and_equal(adjust: type[holm]) -> None:
    assert adjust([]) == []
    assert adjust([0.03]) == [0.03]
    assert adjust([1.0, 1.0]) == [1, 1]


def test_holm_never_exceeds_one_and_keeps_the_order() -> None:
    # smallest first: 3 * 0.4 is capped at 1, the larger ones cannot fall below it
    assert holm([0.6, 0.4, 0.9]) == [1, 1, 1]
    # equal p: the larger factor holds for both
    assert holm([0.02, 0.02]) == [0.04, 0.04]
