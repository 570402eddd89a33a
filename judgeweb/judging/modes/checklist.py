"""Checklist: one response against a list of known issues (code review, TEA, dev scenarios).

Score: detection 50 + quality 25 + persona 25, or the rubric's weights; 100 best.
Source: the seed's checklist prompt v2. Arithmetic: `sheets.checklist`.
"""

from typing import ClassVar

from judgeweb.judging.sheets import ChecklistSheet, ClaimedSheet, GenericSheet
from judgeweb.judging.single import SingleResponse


class Checklist(SingleResponse):
    name: ClassVar[str] = "checklist"
    label: ClassVar[str] = "Solo, checklist"
    prompt_version: ClassVar[str] = "checklist 1"
    sheet: ClassVar[GenericSheet] = ChecklistSheet()
    intro: ClassVar[str] = (
        "You are an impartial judge evaluating an AI agent's response against a checklist of "
        "expected findings."
    )
    list_heading: ClassVar[str] = "Expected findings"


class ChecklistByClaims(Checklist):
    """The same, matching the response's claims, which were extracted once for all judges."""

    prompt_version: ClassVar[str] = "checklist by claims 1"
    sheet: ClassVar[GenericSheet] = ClaimedSheet()
