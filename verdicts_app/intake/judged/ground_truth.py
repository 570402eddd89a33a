"""`gt_judge_*.json`: a patch compared with the patch that fixed it.

Score: files 20, locations 20, logic 40, completeness 20; there is no persona in it.
Source: the seed's ground-truth script.
"""

from fractions import Fraction

from verdicts_app.intake.judged.marks import group_of
from verdicts_app.intake.judged.own_rubric import by_category
from verdicts_app.intake.judged.types import Given, Judged, Payload

WEIGHTS = {
    name: Fraction(weight)
    for name, weight in (
        ("file_identification", 20),
        ("location_identification", 20),
        ("fix_logic_match", 40),
        ("completeness", 20),
    )
}


def matches(payload: Payload) -> bool:
    group = group_of(payload)
    return isinstance(group, dict) and "file_identification" in group.keys() <= WEIGHTS.keys()


def read(payload: Payload, given: Given) -> Judged:
    return Judged("ground-truth", by_category(payload, WEIGHTS), {"scale": "20/20/40/20"})
