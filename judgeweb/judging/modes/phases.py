"""The four phases of a relay: two teams' responses in one phase, marked by its rubric.

One implementation; the phases differ in their rubrics (dimensions, weights, anchors) and in the
sentence that says what the phase is for. Score per team: sum of weight x mark / 10, 10-100.
Source: the seed's phase rubrics, for which it has no prompt text. Differs from it: both orders.
A team's theme is its label in results and hidden from the judge.
"""

from typing import ClassVar

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.pairs import TwoResponses
from judgeweb.judging.sheets import GenericSheet
from judgeweb.judging.text import is_blank
from judgeweb.judging.types import Case


class Phase(TwoResponses):
    """A phase; the context is the scenario's challenge, its context or both."""

    contestant_named: ClassVar[str] = "theme"
    does: ClassVar[str]
    marked: ClassVar[GenericSheet] = GenericSheet()

    def check(self, case: Case) -> None:
        if case.rubric.mode != self.name:
            raise CaseRefused(
                "rubric",
                f"Rubric {case.rubric.name!r} is for {case.rubric.mode!r}, not {self.name!r}.",
            )
        if is_blank(case.scenario.challenge) and is_blank(case.scenario.context):
            raise CaseRefused("context", f"Scenario {case.scenario.name!r} has no context.")
        super().check(case)

    def sheet(self, case: Case) -> GenericSheet:
        return self.marked

    def intro(self, case: Case) -> str:
        return (
            "You are an impartial judge comparing two teams in one phase of a relay, in which each "
            f"phase works on what the one before handed over. {self.does}"
        )


class PhaseSm(Phase):
    name: ClassVar[str] = "phase-sm"
    label: ClassVar[str] = "Phase SM"
    prompt_version: ClassVar[str] = "phase-sm 1"
    does: ClassVar[str] = (
        "This is the SM phase: the scrum master prepares the work and hands it to the test "
        "engineer (TEA)."
    )


class PhaseTea(Phase):
    name: ClassVar[str] = "phase-tea"
    label: ClassVar[str] = "Phase TEA"
    prompt_version: ClassVar[str] = "phase-tea 1"
    does: ClassVar[str] = (
        "This is the TEA phase: the test engineer writes tests that fail until the work is done "
        "(RED) and hands them to the developer."
    )


class PhaseDev(Phase):
    name: ClassVar[str] = "phase-dev"
    label: ClassVar[str] = "Phase Dev"
    prompt_version: ClassVar[str] = "phase-dev 1"
    does: ClassVar[str] = (
        "This is the Dev phase: the developer makes the tests pass (GREEN) and hands the code to "
        "the reviewer."
    )


class PhaseReviewer(Phase):
    name: ClassVar[str] = "phase-reviewer"
    label: ClassVar[str] = "Phase Reviewer"
    prompt_version: ClassVar[str] = "phase-reviewer 1"
    does: ClassVar[str] = (
        "This is the Reviewer phase: the reviewer looks for what is wrong with the work and "
        "decides whether it may go in."
    )
