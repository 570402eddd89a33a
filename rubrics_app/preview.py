"""The prompt that the judge would get: built by the very code that the worker calls."""

from dataclasses import dataclass

from judgeweb.judging.documents import GoldDocument, RubricDocument, ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import SCENARIO_MODES, mode_named
from judgeweb.judging.types import Case, Contestant, Prompt

MADE_UP = Contestant(
    spec="example:persona",
    character="An invented character",
    response="This answer is made up. It stands where the response of an agent would stand.",
)


@dataclass(frozen=True)
class Preview:
    """Either a prompt or the reason why the worker would refuse."""

    prompt: Prompt | None
    refusal: str = ""


def preview(
    rubric: RubricDocument, scenario: ScenarioDocument, gold: GoldDocument | None = None
) -> Preview:
    """The first prompt for a made-up response."""
    if rubric.mode not in SCENARIO_MODES:
        return Preview(None, f"Mode {rubric.mode!r} judges no response to a scenario.")
    case = Case(
        rubric=rubric, scenario=scenario, contestants=(MADE_UP,), secret=b"preview", gold=gold
    )
    try:
        mode = mode_named(rubric.mode)
        mode.check(case)
        return Preview(mode.prompts(case)[0])
    except CaseRefused as refusal:
        return Preview(None, refusal.message)
