from fractions import Fraction

import pytest

from judgeweb.judging.statistics.means import mean_clustered
from judgeweb.judging.statistics.scenario_means import Cell, cells_of, scenario_mean
from tests.judging.statistics.fixtures import TOLERANCE, fixture

TOTALS = (50, 52, 70, 72, 90, 60)


def test_scenario_mean_fixture() -> None:
    given, expected = fixture("mean_of_scenario_means")

    mean = scenario_mean(cells_of(zip(given["scenario"], given["y"], strict=True)))

    assert mean is not None
    assert mean.mean == Fraction("76.375")
    assert (mean.scenarios, mean.n) == (4, 12)
    wanted = [expected[key] for key in ("se", "lo", "hi")]
    assert [mean.se, mean.lo, mean.hi] == pytest.approx(wanted, abs=TOLERANCE)


def test_scenario_mean_is_exact() -> None:
    # (1/3 + 2/7) / 2 = 13/42
    mean = scenario_mean({"a": Cell(1, 3), "b": Cell(Fraction(4, 7), 2)})

    assert mean is not None
    assert mean.mean == Fraction(13, 42)


def test_scenario_mean_counts_a_scenario_once_however_often_it_was_run() -> None:
    seldom = scenario_mean({"a": Cell(60, 1), "b": Cell(80, 1)})
    often = scenario_mean({"a": Cell(60, 1), "b": Cell(80 * 50, 50)})

    assert seldom is not None
    assert often is not None
    assert seldom.mean == often.mean == 70
    assert seldom.se == often.se


def test_scenario_mean_leaves_empty_cells_out() -> None:
    mean = scenario_mean({"a": Cell(60, 1), "b": Cell(0, 0)})

    assert mean is not None
    assert (mean.mean, mean.scenarios, mean.se, mean.lo) == (60, 1, None, None)
    assert scenario_mean({"b": Cell(0, 0)}) is scenario_mean({}) is None


def test_scenario_mean_families_widen_the_interval() -> None:
    cells = {name: Cell(total, 1) for name, total in zip("abcdef", TOTALS, strict=True)}
    families = {"a": "one", "b": "one", "c": "two", "d": "two"}

    mean = scenario_mean(cells, families)

    # e and f stand alone: clusters ab, cd, e, f
    expected = mean_clustered(TOTALS, [1, 1, 2, 2, 3, 4])
    assert mean is not None
    assert expected is not None
    assert (mean.mean, mean.se) == (Fraction(394, 6), expected.se)


def test_scenario_mean_family_named_like_a_scenario_is_another_cluster() -> None:
    cells = {name: Cell(total, 1) for name, total in zip("abc", (50, 60, 70), strict=True)}

    with_clash = scenario_mean(cells, {"a": "c"})
    without = scenario_mean(cells, {"a": "z"})

    assert with_clash == without
