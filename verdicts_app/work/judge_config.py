"""Which judge is asked: from the settings, or as a request says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from django.conf import settings

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.providers.messages_request import OutputMode
from verdicts_app.models import Origin

if TYPE_CHECKING:
    from judgeweb.judging.providers.anthropic import AnthropicJudge

NOT_CONFIGURED = (
    "No judge is configured. Set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL to any server that "
    "speaks the Messages API, and restart; this work then goes on by itself."
)
OUTPUT_MODES: tuple[str, ...] = get_args(OutputMode)
EFFORTS = ("", "low", "medium", "high", "xhigh", "max")


def is_configured() -> bool:
    return bool(settings.ANTHROPIC_API_KEY or settings.ANTHROPIC_BASE_URL)


def origin_of_new_verdicts(*, is_trial: bool = False, is_sample: bool = False) -> Origin:
    if is_trial:
        return Origin.TRIAL
    if is_sample:
        return Origin.SAMPLE
    return Origin.STAND_IN if settings.JUDGE_IS_STAND_IN else Origin.JUDGED


@dataclass(frozen=True)
class JudgeChoice:
    """What is pinned of a judge."""

    model: str
    effort: str
    output_mode: str

    def parameters(self, *, orders: int, is_trial: bool = False) -> dict[str, Any]:
        """Of a trial the origin does not tell that a stand-in marked it: they do."""
        pinned = {"orders": orders, "output_mode": self.output_mode, "effort": self.effort}
        if is_trial and settings.JUDGE_IS_STAND_IN:
            return {**pinned, "stand_in": True}
        return pinned


def chosen_judge(
    *, model: str | None = None, effort: str | None = None, output_mode: str | None = None
) -> JudgeChoice:
    """The settings' judge where the request leaves it open. Raise CaseRefused, naming the field."""
    choice = JudgeChoice(
        model=(settings.JUDGE_MODEL if model is None else model).strip(),
        effort=settings.JUDGE_EFFORT if effort is None else effort,
        output_mode=settings.JUDGE_OUTPUT_MODE if output_mode is None else output_mode,
    )
    if not choice.model:
        raise CaseRefused("model", "the judge model has no name", model)
    if choice.effort not in EFFORTS:
        raise CaseRefused("effort", _one_of(choice.effort, EFFORTS), choice.effort)
    if choice.output_mode not in OUTPUT_MODES:
        raise CaseRefused(
            "output_mode", _one_of(choice.output_mode, OUTPUT_MODES), choice.output_mode
        )
    return choice


def _one_of(given: str, known: tuple[str, ...]) -> str:
    return f"{given!r}: expected one of {', '.join(filter(None, known))}"


def open_judge(choice: JudgeChoice) -> AnthropicJudge:
    """To be used as `async with`, in the loop that asks."""
    from judgeweb.judging.providers.anthropic import AnthropicJudge

    return AnthropicJudge(
        choice.model,
        api_key=settings.ANTHROPIC_API_KEY,
        base_url=settings.ANTHROPIC_BASE_URL,
        effort=choice.effort,
        output_mode=choice.output_mode,  # type: ignore[arg-type]  # checked when chosen
        timeout_s=settings.JUDGE_TIMEOUT_S,
    )


def load_sdk() -> None:
    """Import what `open_judge` needs, ahead of time."""
    from judgeweb.judging.providers.anthropic import load_sdk

    load_sdk()
