"""Judges' results of other tools: one shape, one file, one line.

The first that matches reads the judge's object, so the narrower shape stands above the wider.
What no shape knows is a statement (`statement`): its total is kept as said, nothing is computed.
"""

from verdicts_app.intake.judged import (
    behaviours,
    checklist,
    contest,
    ground_truth,
    marks,
    own_rubric,
    penalties,
    pipeline,
    points,
    swebench,
)
from verdicts_app.intake.judged.types import Payload, Sheet

SHEETS: dict[str, Sheet] = {
    "contest": contest,
    "checklist": checklist,
    "behaviours": behaviours,
    "pipeline": pipeline,
    "penalties": penalties,
    "ground_truth": ground_truth,
    "swebench": swebench,
    "marks": marks,
    "points": points,
    "own_rubric": own_rubric,
}


def sheet_of(payload: Payload) -> str:
    """The name of the shape of a judge's object; "" where none knows it."""
    return next((name for name, sheet in SHEETS.items() if sheet.matches(payload)), "")
