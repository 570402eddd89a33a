"""Compare: two responses to one scenario, each by the sheet that solo would use for it.

The rubric is that of the solo mode for the scenario's list (generic, checklist or behaviours), so
that a mark means the same in both. Score per contestant: 0-100 as in that mode; the winner is
computed (`comparison`).
Source: the seed's compare prompt. Differs from it: neutral contestants instead of specs, both
orders, and a winner that the judge states is kept beside ours and never used.
"""

from typing import ClassVar

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.pairs import TwoResponses
from judgeweb.judging.sheets import SHEETS, ClaimedSheet, GenericSheet
from judgeweb.judging.single import check_scenario
from judgeweb.judging.types import Case

_AGAINST = {
    "solo": "",
    "checklist": " against a checklist of expected findings",
    "behaviours": " against a list of expected behaviors",
}
_HEADINGS = {"checklist": "Expected findings", "behaviours": "Expected behaviors"}


class Compare(TwoResponses):
    name: ClassVar[str] = "compare"
    label: ClassVar[str] = "Compare"
    prompt_version: ClassVar[str] = "compare 1"

    def check(self, case: Case) -> None:
        if case.rubric.mode not in SHEETS:
            raise CaseRefused(
                "rubric",
                f"Rubric {case.rubric.name!r} is for {case.rubric.mode!r}; compare judges by "
                f"the rubrics of {', '.join(SHEETS)}.",
            )
        check_scenario(case.scenario)
        super().check(case)

    def sheet(self, case: Case) -> GenericSheet:
        return SHEETS[case.rubric.mode]

    def intro(self, case: Case) -> str:
        against = _AGAINST[case.rubric.mode]
        return f"You are an impartial judge comparing two AI personas{against}."

    def list_heading(self, case: Case) -> str:
        return _HEADINGS.get(case.rubric.mode, "")


class CompareByClaims(Compare):
    """The same on a checklist, matching the contestants' claims, which were extracted once for
    both orders and all judges."""

    prompt_version: ClassVar[str] = "compare by claims 1"
    by_claims: ClassVar[GenericSheet] = ClaimedSheet()

    def sheet(self, case: Case) -> GenericSheet:
        return self.by_claims
