"""Cells of scenarios whose answers are patches: judged against a known one, nobody is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.types import Mode, PatchCase, Prompt
from rubrics_app.models import Revision
from rubrics_app.patch_cases import instance_digest
from verdicts_app.models import Origin
from verdicts_app.work.cases import instance_of, known_patch_case
from verdicts_app.work.identity import EpochPins, pin


@dataclass(frozen=True, eq=False)
class PatchCell:
    """`gold_pin` is what identifies the instance with its known patch."""

    scenario_id: int
    mode: Mode[PatchCase]
    scenario: Revision
    pins: EpochPins
    base_digest: str
    scenario_pin: list[Any]
    gold_pin: list[Any]
    cached_characters: int = 0
    entries: int = 0

    @property
    def pinned(self) -> tuple[int | None, ...]:
        return (self.scenario_id, self.scenario.pk, None, None)

    def prompts(self, characters: int) -> tuple[Prompt, ...]:
        return ()

    @property
    def frame(self) -> object:
        return self


def patch_cell(
    scenario_id: int,
    mode: Mode[PatchCase],
    scenario: Revision,
    rubric: Revision,
    origin: Origin,
) -> PatchCell:
    """Raise CaseRefused where no patch is known for the scenario, or one that is none."""
    instance = instance_of(scenario)
    if instance is None:
        raise CaseRefused(
            "scenario",
            f"no gold patch is known for {scenario.key!r}: import its SWE-bench instance, or name "
            "one as its alias",
            scenario.key,
        )
    mode.check(known_patch_case("a patch", rubric, scenario, instance))
    pins = EpochPins(
        origin=origin,
        mode=mode.name,
        rubric=rubric,
        prompt_version=mode.prompt_version,
        requested_model="",
        parameters={},
    )
    return PatchCell(
        scenario_id=scenario_id,
        mode=mode,
        scenario=scenario,
        pins=pins,
        base_digest=pins.base_digest,
        scenario_pin=pin(scenario) or [],
        gold_pin=["instance", instance.instance_id, instance_digest(instance)],
    )
