"""The order in which a judge is shown a rubric and a checklist, permuted by a seed.

What stands first shifts scores, so that repeats may each show another order: of the dimensions,
of the marks and anchor bands in each, of the items in each list. Replies are read by key and id:
nothing else depends on the order. Sorting by a hash, the same seed gives the same order for good.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from judgeweb.judging.documents import Dimension, RubricDocument, ScenarioDocument, digest
from judgeweb.judging.types import Case

T = TypeVar("T")
SHUFFLE = "shuffle"
"""The parameter of an epoch whose repeats are shuffled."""
LISTS = ("baseline_issues", "bonus_issues", "baseline_criteria", "bonus_criteria")


def as_shown(case: Case) -> Case:
    """The case in the order of its seed; the very same one without a seed."""
    if not case.seed:
        return case
    return replace(
        case,
        rubric=_rubric(case.rubric, case.seed),
        scenario=_scenario(case.scenario, case.seed),
    )


def _rubric(rubric: RubricDocument, seed: str) -> RubricDocument:
    dimensions = _permuted(rubric.dimensions, seed, "dimension", lambda one: one.key)
    return rubric.model_copy(update={"dimensions": tuple(_inside(one, seed) for one in dimensions)})


def _inside(dimension: Dimension, seed: str) -> Dimension:
    return dimension.model_copy(
        update={
            "marks": _permuted(dimension.marks, seed, dimension.key, lambda one: one.key),
            "bands": _permuted(dimension.bands, seed, dimension.key, lambda one: str(one.low)),
        }
    )


def _scenario(scenario: ScenarioDocument, seed: str) -> ScenarioDocument:
    return scenario.model_copy(
        update={
            name: _permuted(getattr(scenario, name), seed, name, lambda one: one.id)
            for name in LISTS
        }
    )


def _permuted(parts: Iterable[T], seed: str, group: str, key: Callable[[T], str]) -> tuple[T, ...]:
    return tuple(sorted(parts, key=lambda one: digest("\n".join((seed, group, key(one))))))
