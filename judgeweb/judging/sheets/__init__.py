"""What is asked about one response, by the lists of its scenario.

A sheet is shared by the solo mode of its name and by compare, which asks it of two responses.
"""

from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.sheets.behaviours import BehaviourSheet
from judgeweb.judging.sheets.checklist import ChecklistSheet
from judgeweb.judging.sheets.claimed import ClaimedSheet
from judgeweb.judging.sheets.generic import GenericSheet

__all__ = [
    "SHEETS",
    "BehaviourSheet",
    "ChecklistSheet",
    "ClaimedSheet",
    "GenericSheet",
    "check_lists",
]

# By the mode of the rubric that they are judged by.
SHEETS: dict[str, GenericSheet] = {
    "solo": GenericSheet(),
    "checklist": ChecklistSheet(),
    "behaviours": BehaviourSheet(),
}


def check_lists(scenario: ScenarioDocument) -> None:
    """Raise CaseRefused where a scenario has both kinds of list: they are two instruments."""
    if scenario.baseline_issues and scenario.baseline_criteria:
        raise CaseRefused(
            "baseline_criteria",
            f"Scenario {scenario.name!r} has baseline_issues and baseline_criteria; keep one list.",
        )
