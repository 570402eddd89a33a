"""The registry of judge modes: one file and one line a mode.

A mode's name is its file, its registry key and its name on the command line and in the API.
"""

import pkgutil
from typing import Any

from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.sheets import check_lists
from judgeweb.judging.types import Mode

MODES: dict[str, str] = {
    "solo": "judgeweb.judging.modes.solo:Solo",
    "checklist": "judgeweb.judging.modes.checklist:Checklist",
    "behaviours": "judgeweb.judging.modes.behaviours:Behaviours",
    "compare": "judgeweb.judging.modes.compare:Compare",
    "phase-sm": "judgeweb.judging.modes.phases:PhaseSm",
    "phase-tea": "judgeweb.judging.modes.phases:PhaseTea",
    "phase-dev": "judgeweb.judging.modes.phases:PhaseDev",
    "phase-reviewer": "judgeweb.judging.modes.phases:PhaseReviewer",
    "coherence": "judgeweb.judging.modes.coherence:Coherence",
    "swebench": "judgeweb.judging.modes.swebench:Swebench",
    "ground-truth": "judgeweb.judging.modes.ground_truth:GroundTruth",
    "calls": "judgeweb.judging.modes.calls:Calls",
}

# Those that go by claims extracted beforehand, where they are asked to: their case has `claims`.
BY_CLAIMS: dict[str, str] = {
    "checklist": "judgeweb.judging.modes.checklist:ChecklistByClaims",
    "compare": "judgeweb.judging.modes.compare:CompareByClaims",
}

SOLO_MODES = ("solo", "checklist", "behaviours")
PHASE_MODES = ("phase-sm", "phase-tea", "phase-dev", "phase-reviewer")
# Two contestants, in both orders.
PAIR_MODES = ("compare", *PHASE_MODES)
# Those with rubrics of their own: compare judges by the rubric of the solo mode.
RUBRIC_MODES = tuple(name for name in MODES if name != "compare")

# They compare patches and never ask a model; their cases are `types.PatchCase`.
PATCH_MODES = ("swebench", "ground-truth")

# A scenario file may name its family in other words than the registry.
FAMILIES = {"generic": "solo", "behaviors": "behaviours"}


def mode_named(name: str, *, by_claims: bool = False) -> Mode[Any]:
    """The mode of this name. Raise CaseRefused for an unknown one, naming the known ones."""
    modes = BY_CLAIMS if by_claims else MODES
    if name not in modes:
        raise CaseRefused("mode", f"Unknown mode {name!r}; known are {', '.join(modes)}.", name)
    mode: Mode[Any] = pkgutil.resolve_name(modes[name])()
    return mode


def matches_claims(name: str, scenario: ScenarioDocument) -> bool:
    """Whether a checklist is matched, so that the claim step applies."""
    return name in BY_CLAIMS and rubric_mode(name, scenario) == "checklist"


def mode_for(scenario: ScenarioDocument) -> str:
    """The name of the mode that a scenario calls for: the one that its family names (a solo mode,
    or one of patches), else that of its lists.

    Raise CaseRefused where the scenario has both lists or an unknown family.
    """
    check_lists(scenario)
    if not scenario.family:
        return _mode_of_lists(scenario)
    family = scenario.family.strip().lower()
    name = FAMILIES.get(family, family)
    if name not in SOLO_MODES + PATCH_MODES:
        known = ", ".join(SOLO_MODES + PATCH_MODES)
        raise CaseRefused(
            "family", f"Unknown family {scenario.family!r}; known are {known}.", scenario.family
        )
    return name


def solo_mode_for(scenario: ScenarioDocument) -> str:
    """As `mode_for`, where a model is to judge: a family of patches gives way to the lists."""
    name = mode_for(scenario)
    return _mode_of_lists(scenario) if name in PATCH_MODES else name


def _mode_of_lists(scenario: ScenarioDocument) -> str:
    if scenario.baseline_issues:
        return "checklist"
    return "behaviours" if scenario.baseline_criteria else "solo"


def rubric_mode(name: str, scenario: ScenarioDocument) -> str:
    """The mode whose rubrics a mode judges a scenario by: its own, compare's that of solo."""
    return solo_mode_for(scenario) if name == "compare" else name
