"""The cell of relays: their coherence is judged by one rubric, whatever the scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from judgeweb.judging.modes import mode_named
from judgeweb.judging.types import ChainCase, Mode, Prompt
from rubrics_app import selectors
from verdicts_app.models import PHASES
from verdicts_app.work.cases import SOLO_ORDERS, secret
from verdicts_app.work.cells import rubric_to_pin
from verdicts_app.work.identity import EpochPins
from verdicts_app.work.judge_config import JudgeChoice, origin_of_new_verdicts
from verdicts_app.work.request import COHERENCE, JudgeRequest


@dataclass(frozen=True, eq=False)
class ChainCell:
    mode: Mode[ChainCase]
    pins: EpochPins
    base_digest: str
    scenario_id: int | None
    scenario_pin: None = None
    gold_pin: None = None
    cached_characters: int = 0
    entries: int = 1

    @property
    def pinned(self) -> tuple[int | None, ...]:
        """Nothing of a scenario moves the verdict: none is sent."""
        return (self.scenario_id, None, None, None)

    def case(self, theme: str, answers: dict[str, str]) -> ChainCase:
        assert self.pins.rubric is not None
        rubric = selectors.rubric_document(self.pins.rubric)
        return ChainCase(rubric=rubric, theme=theme, secret=secret(), **answers)

    def prompts(self, characters: int) -> tuple[Prompt, ...]:
        share = "x" * max(1, characters // len(PHASES))
        return self.mode.prompts(self.case("theme", dict.fromkeys(PHASES, share)))

    @property
    def frame(self) -> Any:
        return self.mode


class ChainCells:
    """By scenario, for one judge. Raise CaseRefused where the rubric cannot be used."""

    def __init__(self, request: JudgeRequest, judge: JudgeChoice) -> None:
        self._mode: Mode[ChainCase] = mode_named(COHERENCE)
        self._pins = EpochPins(
            origin=origin_of_new_verdicts(is_trial=request.is_trial, is_sample=request.is_sample),
            mode=COHERENCE,
            rubric=rubric_to_pin(COHERENCE, request),
            prompt_version=self._mode.prompt_version,
            requested_model=judge.model,
            parameters=judge.parameters(orders=SOLO_ORDERS, is_trial=request.is_trial),
        )
        self._cells: dict[int | None, ChainCell] = {}

    def of(self, scenario_id: int | None) -> ChainCell:
        if scenario_id not in self._cells:
            digest = self._pins.base_digest
            self._cells[scenario_id] = ChainCell(self._mode, self._pins, digest, scenario_id)
        return self._cells[scenario_id]
