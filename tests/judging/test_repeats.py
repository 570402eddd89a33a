"""Repeats and several judges: half of them, their majority, how far they lie apart."""

import random
from fractions import Fraction
from statistics import stdev

import pytest

from judgeweb.judging.repeats import is_enough, majority, needed, spread, whole_sd


@pytest.mark.parametrize(
    ("valid", "asked", "enough"),
    [
        *((0, 0, False), (0, 1, False), (1, 1, True), (1, 2, True), (1, 3, False)),
        *((2, 3, True), (2, 4, True), (2, 5, False), (3, 5, True)),
    ],
)
def test_at_least_half_are_needed(valid: int, asked: int, enough: bool) -> None:
    assert is_enough(valid, asked) is enough


def test_a_majority_is_half_and_one_more() -> None:
    assert [needed(n) for n in (1, 2, 3, 4, 5)] == [1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("votes", "asked", "said"),
    [
        ("A", 1, "A"),
        ("AA", 3, "A"),  # two agree, one unjudged
        ("A", 3, None),  # case 52: a lone survivor names nobody
        ("A", 2, None),
        ("AB", 2, None),
        ("ABA", 3, "A"),
        ("ABC", 3, None),
        ("AAB", 5, None),
        ("", 3, None),
    ],
)
def test_majority_is_of_all_that_were_asked(votes: str, asked: int, said: str | None) -> None:
    assert majority(votes, asked) == said


def test_spread_golden() -> None:
    # 70, 80, 81: mean 77, squares 49 + 9 + 16 = 74, variance 74 / 2 = 37, sd 6.0828
    found = spread([Fraction(70), Fraction(80), Fraction(81)])

    assert found is not None
    assert (found.low, found.high, found.range, found.variance) == (70, 81, 11, 37)
    assert found.sd == pytest.approx(6.082762530298)


def test_spread_of_one_is_not_known_and_of_equals_is_nothing() -> None:
    assert spread([]) is None
    assert spread([Fraction(80)]) is None
    equal = spread([Fraction(80)] * 3)
    assert equal is not None
    assert (equal.range, equal.sd) == (0, 0)


def test_whole_sd_is_the_standard_deviation_rounded_down() -> None:
    # variance 37: sqrt = 6.082762530298...
    assert whole_sd([70 * 10**9, 80 * 10**9, 81 * 10**9]) == 6_082_762_530
    assert whole_sd([5, 5]) == 0
    chance = random.Random(3)
    for n in (2, 3, 4, 5):
        values = [chance.randint(0, 100 * 10**9) for _ in range(n)]
        assert 0 <= stdev(map(Fraction, values)) - whole_sd(values) < 1.01
