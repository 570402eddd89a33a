"""solo: one answer to a challenge, with or without a checklist."""

from collections.abc import Mapping
from typing import Any

from judgeweb.judging.text import is_blank
from verdicts_app.intake.judgement_data.answers import Given, Taken, store_answers
from verdicts_app.intake.judgement_data.checks import (
    check_contestant,
    check_lists,
    check_object,
    check_text,
)
from verdicts_app.intake.judgement_data.task import TASK, inline_scenario

REQUIRED = ("spec", "character", "challenge", "response")


def check(data: Any, mode: str) -> None:
    check_object(data, required=REQUIRED, optional=TASK)
    check_contestant(data)
    check_text(data, "challenge")
    check_lists(data)


def asks(data: Mapping[str, Any]) -> bool:
    return not is_blank(data["response"])


def take_in(data: Mapping[str, Any], mode: str, to: Taken) -> dict[str, Any]:
    scenario = inline_scenario(data, "challenge", user=to.user, actor=to.actor)
    given = Given(data["spec"], data["response"], data, data.get("character") or "")
    return {
        "response_ids": store_answers([given], scenario, to),
        "use_gold": data.get("gold_standard") is not None,
    }
