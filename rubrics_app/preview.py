"""The prompt that the judge would get: built by the very code that the worker calls."""

from dataclasses import dataclass, replace

from judgeweb.judging.documents import GoldDocument, RubricDocument, ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import PAIR_MODES, SOLO_MODES, mode_named
from judgeweb.judging.types import Case, Contestant, Prompt

MADE_UP = Contestant(
    spec="example:persona",
    character="An invented character",
    response="This answer is made up. It stands where the response of an agent would stand.",
)
ALSO_MADE_UP = replace(MADE_UP, character="Another invented character")


@dataclass(frozen=True)
class Preview:
    """Either a prompt or the reason why the worker would refuse."""

    prompt: Prompt | None
    refusal: str = ""


def preview(
    rubric: RubricDocument, scenario: ScenarioDocument, gold: GoldDocument | None = None
) -> Preview:
    """The first prompt for a made-up response, or for two of them."""
    if rubric.mode not in SOLO_MODES + PAIR_MODES:
        return Preview(None, f"Mode {rubric.mode!r} judges no response to a scenario.")
    is_pair = rubric.mode in PAIR_MODES
    case = Case(
        rubric=rubric,
        scenario=scenario,
        contestants=(MADE_UP, ALSO_MADE_UP) if is_pair else (MADE_UP,),
        secret=b"preview",
        gold=None if is_pair else gold,
    )
    try:
        mode = mode_named(rubric.mode)
        mode.check(case)
        return Preview(mode.prompts(case)[0])
    except CaseRefused as refusal:
        return Preview(None, refusal.message)
