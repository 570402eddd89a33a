"""From rows to the case that the core judges."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from django.conf import settings

from judgeweb.judging.modes import PHASE_MODES
from judgeweb.judging.types import CallCase, Case, ChainCase, Contestant, PatchCase
from rubrics_app import selectors
from rubrics_app.models import Revision, SweInstance
from rubrics_app.patch_cases import instance_for, patch_case
from verdicts_app.models import Capture, Chain, Epoch, Pair, Response

AnyCase = Case | CallCase | ChainCase | PatchCase
SOLO_ORDERS = 1
GOLD_SPEC = "contestant"
"""What the judge is told of who gave the answer of a gold standard: nothing."""


def secret() -> bytes:
    return settings.SECRET_KEY.encode()


def contestant_of(response: Response) -> Contestant:
    character = response.character or response.persona.character
    return Contestant(response.persona.spec, character, response.text)


def contestants_of(pair: Pair, mode: str) -> tuple[Contestant, ...]:
    """In the phases teams go by their themes."""
    return tuple(
        replace(contestant_of(one), spec=name_in(mode, one.persona.spec, one.persona.theme))
        for one in (pair.first, pair.second)
    )


def name_in(mode: str, spec: str, theme: str) -> str:
    """What results of this mode call a contestant."""
    return theme if mode in PHASE_MODES and theme else spec


def answer_case(
    contestants: Sequence[Contestant],
    epoch: Epoch,
    scenario: Revision,
    gold: Revision | None,
    seed: str = "",
) -> Case:
    """One answer, or two that are compared."""
    assert epoch.rubric_revision is not None
    return Case(
        rubric=selectors.rubric_document(epoch.rubric_revision),
        scenario=selectors.scenario_document(scenario),
        contestants=tuple(contestants),
        secret=secret(),
        gold=selectors.gold_document(gold) if gold else None,
        orders=SOLO_ORDERS if len(contestants) == 1 else orders_of(epoch),
        seed=seed,
    )


def orders_of(epoch: Epoch) -> int:
    return int(json.loads(epoch.parameters).get("orders", SOLO_ORDERS))


def call_case(capture: Capture, epoch: Epoch, contract: Revision | None) -> CallCase:
    """The capture as it came, lossless."""
    assert epoch.rubric_revision is not None
    prompt = capture.system_prompt
    return CallCase(
        rubric=selectors.rubric_document(epoch.rubric_revision),
        call_type=capture.call_type,
        system_prompt=prompt.original if prompt else "",
        user_content=capture.original("user_content") or "",
        response_content=capture.original("response_content"),
        parsed_ok=capture.parsed_ok,
        secret=secret(),
        contract=selectors.contract_document(contract) if contract else None,
        undecidable_allowed=json.loads(epoch.parameters).get("undecidable_allowed", False),
    )


def chain_case(chain: Chain, epoch: Epoch) -> ChainCase:
    assert epoch.rubric_revision is not None
    return ChainCase(
        rubric=selectors.rubric_document(epoch.rubric_revision),
        theme=chain.theme,
        sm=chain.sm.text,
        tea=chain.tea.text,
        dev=chain.dev.text,
        reviewer=chain.reviewer.text,
        secret=secret(),
    )


def instance_of(scenario: Revision) -> SweInstance | None:
    """The instance whose patch is known, by the scenario's name or what it names."""
    return instance_for(scenario.key, selectors.scenario_document(scenario))


def known_patch_case(
    text: str,
    rubric: Revision,
    scenario: Revision,
    instance: SweInstance,
    persona: Fraction | None = None,
) -> PatchCase:
    return patch_case(
        instance,
        rubric=selectors.rubric_document(rubric),
        scenario=scenario.key,
        response=text,
        persona=persona,
    )
