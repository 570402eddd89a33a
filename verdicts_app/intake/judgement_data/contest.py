"""compare and the phases: two answers to one task."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.text import is_blank, shown
from rubrics_app.models import Scenario
from verdicts_app.intake.fields import folded
from verdicts_app.intake.judgement_data.answers import Given, Taken, store_answers
from verdicts_app.intake.judgement_data.checks import (
    check_contestant,
    check_lists,
    check_name,
    check_object,
    check_text,
)
from verdicts_app.intake.judgement_data.task import TASK, inline_scenario

CONTESTANT = ("spec", "character", "response")
TEAMS = ("team1", "team2")
COMPARE_TASK = tuple(field for field in TASK if field != "gold_standard")


# --- compare ------------------------------------------------------------------------------------


def check_compare(data: Any, mode: str) -> None:
    check_object(data, required=("contestants", "challenge"), optional=COMPARE_TASK)
    contestants = data.get("contestants")
    if contestants is None:
        raise CaseRefused("contestants", "missing: this mode requires it")
    if not isinstance(contestants, list) or len(contestants) != 2:
        given = len(contestants) if isinstance(contestants, list) else shown(contestants)
        raise CaseRefused("contestants", f"expected a list of 2, not {given}", contestants)
    for place, contestant in enumerate(contestants):
        check_object(contestant, required=CONTESTANT, at=f"contestants[{place}].")
        check_contestant(contestant, at=f"contestants[{place}].")
    check_text(data, "challenge")
    check_lists(data)


def compare_asks(data: Mapping[str, Any]) -> bool:
    return any(not is_blank(one["response"]) for one in data["contestants"])


def take_in_compare(data: Mapping[str, Any], mode: str, to: Taken) -> dict[str, Any]:
    scenario = inline_scenario(data, "challenge", user=to.user, actor=to.actor)
    given = [
        Given(one["spec"], one["response"], one, one.get("character") or "")
        for one in data["contestants"]
    ]
    return _pair(given, scenario, mode, to)


# --- phases -------------------------------------------------------------------------------------


def check_phase(data: Any, mode: str) -> None:
    check_object(data, required=(*TEAMS, "context"))
    for team in TEAMS:
        check_object(
            data.get(team), required=("theme", "response"), optional=("character",), at=f"{team}."
        )
        check_theme(data[team], at=f"{team}.")
        check_text(data[team], "response", at=f"{team}.", may_be_empty=True)
        if data[team].get("character") is not None:
            check_text(data[team], "character", at=f"{team}.", may_be_empty=True)
    check_text(data, "context")


def check_theme(data: Mapping[str, Any], *, at: str = "") -> None:
    check_name(data, "theme", at=at)
    if ":" in data["theme"]:
        raise CaseRefused(f"{at}theme", "a theme holds no colon", data["theme"])


def phase_asks(data: Mapping[str, Any]) -> bool:
    return any(not is_blank(data[team]["response"]) for team in TEAMS)


def take_in_phase(data: Mapping[str, Any], mode: str, to: Taken) -> dict[str, Any]:
    scenario = inline_scenario(data, "context", user=to.user, actor=to.actor)
    phase = mode.removeprefix("phase-")
    return _pair([of_team(data[team], phase) for team in TEAMS], scenario, mode, to)


def of_team(team: Mapping[str, Any], phase: str) -> Given:
    """A team's answer in a phase; its persona is `theme:phase`."""
    theme = folded(team["theme"])
    return Given(
        spec=f"{theme}:{phase}",
        text=team["response"],
        document={"phase": phase, **team},
        character=team.get("character") or "",
        theme=theme,
        role=phase,
    )


def _pair(given: Sequence[Given], scenario: Scenario, mode: str, to: Taken) -> dict[str, Any]:
    """The very same answer twice is two answers: judges are tried so."""
    first, second = given
    if first == second:
        second = replace(second, document={**second.document, "copy": 2})
    one, other = store_answers([first, second], scenario, to)
    return {"pairs": [(one, other)], "mode": mode, "use_gold": False}
