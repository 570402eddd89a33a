"""Behaviours: one response against a list of behaviours to show (SM scenarios).

Score: execution 50 + quality 25 + persona 25, or the rubric's weights; 100 best.
Source: the seed's behaviour checklist prompt. Arithmetic: `sheets.behaviours`.
"""

from typing import ClassVar

from judgeweb.judging.sheets import BehaviourSheet, GenericSheet
from judgeweb.judging.single import SingleResponse


class Behaviours(SingleResponse):
    name: ClassVar[str] = "behaviours"
    label: ClassVar[str] = "Solo, behaviours"
    prompt_version: ClassVar[str] = "behaviours 1"
    sheet: ClassVar[GenericSheet] = BehaviourSheet()
    intro: ClassVar[str] = (
        "You are an impartial judge evaluating an AI agent's facilitation/management response."
    )
    list_heading: ClassVar[str] = "Expected behaviors"
