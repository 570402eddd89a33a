import pytest

from judgeweb.judging.statistics.means import mean_clustered, mean_t
from tests.judging.statistics.fixtures import TOLERANCE, fixture


def test_mean_t_fixture() -> None:
    given, expected = fixture("mean_t")

    mean = mean_t(given["x"])

    assert mean is not None
    assert mean.df == expected["df"]
    figures = [mean.mean, mean.se, mean.lo, mean.hi]
    wanted = [expected[key] for key in ("mean", "se", "lo", "hi")]
    assert figures == pytest.approx(wanted, abs=TOLERANCE)


def test_mean_clustered_fixture() -> None:
    given, expected = fixture("mean_clustered")

    mean = mean_clustered(given["y"], given["scenario"])

    assert mean is not None
    assert (mean.n, mean.df) == (12, 3)
    figures = [mean.mean, mean.se, mean.lo, mean.hi]
    wanted = [expected[key] for key in ("mean", "se_cr1", "lo", "hi")]
    assert figures == pytest.approx(wanted, abs=TOLERANCE)
    iid = mean_t(given["y"])
    assert iid is not None
    assert mean.se is not None
    assert iid.se == pytest.approx(expected["se_iid"], abs=TOLERANCE)
    assert (mean.se / iid.se) ** 2 == pytest.approx(expected["design_effect"], abs=1e-6)


def test_mean_of_nothing_is_none() -> None:
    assert mean_t([]) is None
    assert mean_clustered([], []) is None


def test_mean_of_one_has_no_interval() -> None:
    alone = mean_t([70.0])
    family = mean_clustered([70.0, 80.0], ["A", "A"])

    assert alone is not None
    assert (alone.mean, alone.se, alone.lo, alone.hi) == (70, None, None, None)
    assert family is not None
    assert (family.mean, family.n, family.se, family.hi) == (75, 2, None, None)


def test_mean_of_a_constant_has_no_width() -> None:
    for mean in (mean_t([70.1] * 3), mean_clustered([70.1] * 3, "ABC")):
        assert mean is not None
        assert mean.se == pytest.approx(0, abs=1e-12)
        assert [mean.lo, mean.hi] == pytest.approx([70.1, 70.1])


def test_mean_each_its_own_cluster_is_the_plain_one() -> None:
    values = [61.0, 72.5, 90.0, 44.0, 80.0]

    clustered, plain = mean_clustered(values, range(5)), mean_t(values)

    assert clustered is not None
    assert plain is not None
    # C/(C-1) * sum e^2 / n^2 = sum e^2 / (n (n-1)) for C = n
    assert [clustered.se, clustered.hi] == pytest.approx([plain.se, plain.hi])


def test_mean_clustered_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        mean_clustered([1.0, 2.0], ["A"])
