"""The patch judges on the 300 instances and 382 predictions of the reference files."""

import statistics
from pathlib import Path

import pytest

from benchmarks import patches as bench
from benchmarks.patch_probes import LISTED, PROBES, gold, name_dropping
from judgeweb.judging.patches.gold import gold_of

pytestmark = pytest.mark.shared

MOVED = (
    "django__django-13265",
    "django__django-15851",
    "scikit-learn__scikit-learn-13142",
    "sympy__sympy-15346",
)


@pytest.fixture(autouse=True)
def _data(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "FOLDER", shared / "samples" / "swebench")


def mean(mode: str, name: str) -> float:
    totals = [
        bench.judged(mode, one, PROBES[name](one)).total for one in bench.instances().values()
    ]
    return statistics.mean(float(total or 0) for total in totals)


@pytest.mark.parametrize("name", list(PROBES))
def test_probe_is_within_a_point_of_its_listed_mean(name: str) -> None:
    for mode, listed in zip(bench.TOTALS, LISTED[name], strict=True):
        assert mean(mode, name) == pytest.approx(listed, abs=1)


def test_every_gold_patch_is_worth_100() -> None:
    for mode in bench.TOTALS:
        for one in bench.instances().values():
            assert bench.judged(mode, one, one["patch"]).total == 100, one["instance_id"]


def test_reversed_gold_has_no_logic() -> None:
    for one in bench.instances().values():
        logic = bench.judged("ground-truth", one, PROBES["reversed gold"](one)).parts[
            "fix_logic_match"
        ]
        assert logic == 0, one["instance_id"]


def test_prose_never_earns_more_than_it_may() -> None:
    for one in bench.instances().values():
        for mode in bench.TOTALS:
            verdict = bench.judged(mode, one, name_dropping(one, full_path=True))
            assert verdict.total is not None
            assert verdict.total <= 40


@pytest.mark.parametrize("name", MOVED)
def test_moved_code_is_told_from_nothing_and_from_its_undoing(name: str) -> None:
    one = bench.instances()[name]

    assert gold_of(gold(one)).is_move
    assert bench.judged("ground-truth", one, one["patch"]).total == 100
    undone = bench.judged("ground-truth", one, PROBES["reversed gold"](one))
    assert undone.parts["fix_logic_match"] == 0


def test_predictions_are_ranked_by_whether_they_resolved() -> None:
    predictions = list(bench.read_predictions())
    scores, _ = bench.measured(predictions)
    resolved, _ = bench.labels(predictions)

    assert len(predictions) == 382
    for mode in bench.TOTALS:
        reached = bench.auc(scores[mode], resolved)
        assert reached >= 0.82
        assert reached > bench.auc(scores["word Jaccard"], resolved)
        assert reached > bench.auc(scores["keyword judge"], resolved)
    aider = [one for one in predictions if one.agent == "Aider"]
    found = [
        bench.judged("ground-truth", one.instance, one.patch).extra["localisation"]["file"]
        for one in aider
    ]
    # 209 of 300.
    assert (sum(found), len(found)) == (209, 300)
