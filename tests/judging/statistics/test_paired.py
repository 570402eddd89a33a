from math import inf

import pytest

from judgeweb.judging.statistics.paired import paired_difference, shared, sign_flip_p
from tests.judging.statistics.fixtures import TOLERANCE, fixture


def test_paired_difference_fixture() -> None:
    given, expected = fixture("paired_diff")

    paired = paired_difference(given["a"], given["b"])

    assert paired is not None
    assert (paired.n, paired.df) == (6, expected["df"])
    figures = {
        "diff": paired.difference,
        "se": paired.se,
        "t": paired.t,
        "p": paired.p,
        "lo": paired.lo,
        "hi": paired.hi,
        "corr": paired.correlation,
        "se_unpaired": paired.se_unpaired,
        "cohen_dz": paired.dz,
    }
    assert figures == pytest.approx({key: expected[key] for key in figures}, abs=TOLERANCE)


def test_sign_flip_fixture() -> None:
    given, expected = fixture("paired_permutation")

    assert sign_flip_p(given["d"]) == expected["p"]


def test_paired_difference_needs_two_scenarios() -> None:
    assert paired_difference([], []) is None
    assert paired_difference([1.0], [2.0]) is None


def test_paired_difference_equal_lists_differ_by_nothing() -> None:
    paired = paired_difference([60.0, 70.0], [60.0, 70.0])

    assert paired is not None
    assert (paired.difference, paired.se, paired.t, paired.p) == (0, 0, 0, 1)
    assert (paired.lo, paired.hi, paired.dz) == (0, 0, None)


@pytest.mark.parametrize(("by", "t"), [(2.0, inf), (-2.0, -inf)])
def test_paired_difference_constant_is_no_proof(by: float, t: float) -> None:
    b = [60.0, 70.0, 90.0]

    paired = paired_difference([value + by for value in b], b)

    assert paired is not None
    # 2 of the 2^3 sign patterns are as far out: 2^(1-3)
    assert (paired.t, paired.p, paired.se) == (t, 0.25, 0)


def test_paired_difference_constant_contestant_has_no_correlation() -> None:
    paired = paired_difference([50.0, 50.0, 50.0], [60.0, 70.0, 50.0])

    assert paired is not None
    assert paired.correlation is None


def test_paired_difference_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired_difference([1.0, 2.0], [1.0])


# all patterns of (1, 2): sums 3, -1, 1, -3; at least 3 away: 2 of 4. Of (1, -1): 2, 0, 0, -2;
# at least 0 away: all
@pytest.mark.parametrize(
    ("d", "expected"), [([1, 2], 0.5), ([1, -1], 1), ([5], 1), ([0, 0], 1), ([], None)]
)
def test_sign_flip_by_hand(d: list[float], expected: float | None) -> None:
    assert sign_flip_p(d) == expected


def test_sign_flip_is_not_fooled_by_rounding() -> None:
    # 0.1 + 0.2 + 0.3 differs from 0.3 + 0.2 + 0.1 in the last digit
    assert sign_flip_p([0.1, 0.2, 0.3]) == sign_flip_p([0.3, 0.2, 0.1]) == 0.25


def test_sign_flip_of_too_many_is_refused() -> None:
    with pytest.raises(ValueError, match="21 differences"):
        sign_flip_p([1.0] * 21)


def test_shared_keeps_only_what_both_have() -> None:
    assert shared({"x": 1, "y": 2, "z": 3}, {"z": 6, "x": 4}) == ([1, 3], [4, 6])
