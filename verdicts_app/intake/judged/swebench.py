"""`swebench_judge_*.json`: root cause, fix quality, completeness and persona of a patch.

Score: the points of the criteria, 30/40/20/10; without persona 30/40/20 scaled to 100.
Source: the seed's swebench script. Its keyword rules are not built here; its results are kept.
"""

from fractions import Fraction

from verdicts_app.intake.judged.marks import group_of
from verdicts_app.intake.judged.own_rubric import by_category
from verdicts_app.intake.judged.types import Given, Judged, Payload

WEIGHTS = {
    name: Fraction(weight)
    for name, weight in (
        ("root_cause", 30),
        ("fix_quality", 40),
        ("completeness", 20),
        ("persona", 10),
    )
}


def matches(payload: Payload) -> bool:
    group = group_of(payload)
    return (
        isinstance(group, dict)
        and {"root_cause", "fix_quality"} <= group.keys() <= WEIGHTS.keys()
        and bool(payload.keys() & {"instance_id", "ground_truth_files"})
    )


def read(payload: Payload, given: Given) -> Judged:
    return Judged("swebench", by_category(payload, WEIGHTS), {"scale": "30/40/20/10"})
