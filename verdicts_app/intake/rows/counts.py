"""Counts of true and false positives, one row a review: they belong to its findings."""

from collections.abc import Collection

from verdicts_app.intake.rows.types import (
    CONTESTANT,
    FALSE_POSITIVES,
    FOUND,
    SCENARIO,
    TRUE_POSITIVES,
    has_all,
)

EXPECTED = "judge, scenario, contestant, tp, fp"


def matches(columns: Collection[str]) -> bool:
    return has_all(columns, SCENARIO, CONTESTANT, TRUE_POSITIVES, FALSE_POSITIVES) and not has_all(
        columns, FOUND
    )
