from random import Random

import pytest

from judgeweb.judging.statistics.holm import holm
from judgeweb.judging.statistics.paired import paired_difference, shared
from judgeweb.judging.statistics.ranks import groups_of, rank_sets


def board(**levels: float) -> dict[str, dict[str, float]]:
    """Contestants at a level, with noise of 2 points on 12 scenarios of their own difficulty."""
    chance = Random(5)
    hard = {f"s{n}": chance.gauss(0, 15) for n in range(12)}
    return {
        name: {key: level + by + chance.gauss(0, 2) for key, by in hard.items()}
        for name, level in levels.items()
    }


def test_rank_sets_clear_board_has_single_ranks() -> None:
    ranks = rank_sets(board(last=40, first=80, middle=60))

    assert [(row.name, row.place, row.best, row.worst) for row in ranks.rows] == [
        ("first", 1, 1, 1),
        ("middle", 2, 2, 2),
        ("last", 3, 3, 3),
    ]
    assert ranks.groups == ()


def test_rank_sets_inseparable_pair_shares_its_ranks() -> None:
    ranks = rank_sets(board(a=70, b=70.2, c=40))

    assert {(row.name, row.best, row.worst) for row in ranks.rows} == {
        ("a", 1, 2),
        ("b", 1, 2),
        ("c", 3, 3),
    }
    assert ranks.groups == ((1, 2),)


def test_rank_sets_p_values_are_holm_over_the_paired_tests() -> None:
    scores = board(a=70, b=68, c=67)

    ranks = rank_sets(scores)

    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    tests = [paired_difference(*shared(scores[x], scores[y])) for x, y in pairs]
    adjusted = holm([test.p for test in tests if test])
    assert [ranks.p_values[pair] for pair in pairs] == pytest.approx(adjusted)
    assert ranks.p_values["b", "a"] == ranks.p_values["a", "b"]


def test_rank_sets_missing_scenarios_only_shared_ones_are_compared() -> None:
    scores = board(a=70, b=65)
    del scores["a"]["s0"], scores["b"]["s1"]

    ranks = rank_sets(scores)

    test = paired_difference(*shared(scores["a"], scores["b"]))
    assert test is not None
    assert test.n == 10
    assert ranks.p_values["a", "b"] == pytest.approx(test.p)
    assert [row.scenarios for row in ranks.rows] == [11, 11]


def test_rank_sets_pair_without_shared_scenarios_is_not_separable() -> None:
    scores = {"a": {"x": 90.0, "y": 91.0}, "b": {"z": 10.0, "y": 11.0}}

    ranks = rank_sets(scores)

    assert ranks.p_values == {}
    assert {(row.best, row.worst) for row in ranks.rows} == {(1, 2)}


def test_rank_sets_constant_difference_of_few_scenarios_is_not_separable() -> None:
    b = {f"s{n}": 50.0 + n for n in range(5)}
    a = {key: value + 20 for key, value in b.items()}

    # 2^(1-5) = 0.0625
    assert rank_sets({"a": a, "b": b}).p_values["a", "b"] == 0.0625


def test_rank_sets_of_none_and_one() -> None:
    assert rank_sets({}).rows == rank_sets({"a": {}}).rows == ()
    (row,) = rank_sets({"a": {"s": 50.0}}).rows
    assert (row.mean, row.place, row.best, row.worst) == (50, 1, 1, 1)


def test_rank_sets_equal_means_are_ordered_by_name() -> None:
    same = {"s": 50.0, "t": 60.0}

    assert [row.name for row in rank_sets({"b": same, "a": same}).rows] == ["a", "b"]


@pytest.mark.parametrize(
    ("better", "expected"),
    [
        ("", ((1, 4),)),
        ("ab ac ad bc bd cd", ()),
        # a from c and d, b from d: ab, bc and cd are runs that overlap
        ("ac ad bd", ((1, 2), (2, 3), (3, 4))),
        # only a from d: abc and bcd
        ("ad", ((1, 3), (2, 4))),
        # a and c differ though a and d do not: the run ends before c
        ("ac", ((1, 2), (2, 4))),
    ],
)
def test_groups_are_maximal_runs_without_a_separable_pair(
    better: str, expected: tuple[tuple[int, int], ...]
) -> None:
    pairs = {(first, second) for first, second in better.split()}

    assert groups_of(list("abcd"), pairs) == expected


def test_rank_sets_of_equal_contestants_cover_the_truth() -> None:
    """Eight equal contestants on eight scenarios: at most 5 % of boards may separate any."""
    wrong = 0
    for seed in range(200):
        chance = Random(seed)
        scores = {f"p{n}": {f"s{m}": chance.gauss(70, 8) for m in range(8)} for n in range(8)}
        wrong += any((row.best, row.worst) != (1, 8) for row in rank_sets(scores).rows)

    # 200 boards: 10 expected at most, 3 standard deviations above are 19
    assert wrong <= 19
