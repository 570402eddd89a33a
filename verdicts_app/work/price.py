"""What a request to judge would cost, before anything is written or sent."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from judgeweb.judging.types import Usage
from verdicts_app.work.extraction_price import price_of_extractions
from verdicts_app.work.judge_config import is_configured
from verdicts_app.work.money import cost_of, tokens_in, worst_cost
from verdicts_app.work.request import JudgeRequest, Refusal, Unlinked
from verdicts_app.work.selection import AnyCell, Selection, Unit, select_work
from verdicts_app.work.units import ruled_in

TOKENS_A_ENTRY = 90
"""What a judge writes for one mark or item: its reasoning, a quote, the value."""
TOKENS_BESIDE = 150
TOKENS_A_RULING = 40
TOKENS_SENT_A_CLAIM = 50
"""A claim as the judge reads it, with its quote; only where it goes by claims."""


@dataclass(frozen=True)
class Price:
    """`model` names the judge models that are asked. Nano-USD; None where a price is not known.
    `estimate` expects replies of the usual length and the scenario's prefix read from the cache
    after its first request. `first_request` is the most that one request can cost: a smaller
    budget sends nothing. `taken` judgements ask nobody: an earlier verdict says what the judge
    decides. `extractions` are responses whose claims `extractors` extract first, once each: they
    are in the estimate."""

    model: str
    judgements: int
    estimate_nano_usd: int | None
    first_request_nano_usd: int | None
    already_judged: int
    already_planned: int
    failed_runs: int
    unlinked: tuple[Unlinked, ...]
    refused: tuple[Refusal, ...]
    judge_is_configured: bool
    needs_a_judge: bool
    taken: int = 0
    extractions: int = 0
    extractors: str = ""


def price(*, request: JudgeRequest) -> Price:
    """Raise CaseRefused where the request itself cannot be used, naming its field."""
    return price_of(select_work(request))


def price_of(selection: Selection) -> Price:
    by_cell: dict[AnyCell, list[Unit]] = {}
    for unit in selection.units:
        by_cell.setdefault(unit.cell, []).append(unit)
    claims = price_of_extractions(selection.units)
    costs = [_cell_cost(cell, units) for cell, units in by_cell.items()]
    costs.append(claims.estimate_nano_usd)
    known = [cost for cost in costs if cost is not None]
    return Price(
        model=selection.models,
        judgements=len(selection.units),
        estimate_nano_usd=sum(known) if len(known) == len(costs) else None,
        first_request_nano_usd=_larger(_first_request(by_cell), claims.first_request_nano_usd),
        already_judged=selection.already_judged,
        already_planned=selection.already_planned,
        failed_runs=selection.failed_runs,
        unlinked=tuple(selection.unlinked),
        refused=tuple(selection.refused),
        judge_is_configured=is_configured(),
        needs_a_judge=selection.needs_a_judge,
        taken=selection.taken,
        extractions=claims.texts,
        extractors=selection.extractors,
    )


def _larger(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def _cell_cost(cell: AnyCell, units: list[Unit]) -> int | None:
    """The first request writes the prefix to the cache, the others read it. A shuffled repeat has
    a prefix of its own."""
    asked = [unit for unit in units if unit.characters]
    if not asked:
        return 0
    prompts = cell.prompts(0)
    prefix = sum(tokens_in(len(prompt.system) + cell.cached_characters) for prompt in prompts)
    systems = {prompt.system for prompt in prompts}
    orders = len({unit.seed for unit in asked})
    written = orders * sum(tokens_in(len(system) + cell.cached_characters) for system in systems)
    claims = sum(ruled_in(unit) for unit in asked) * len(prompts)
    frame = sum(tokens_in(len(prompt.user)) for prompt in prompts)
    answers = sum(tokens_in(unit.characters) for unit in asked) * len(prompts)
    output = len(asked) * len(prompts) * (TOKENS_BESIDE + TOKENS_A_ENTRY * cell.entries)
    output += TOKENS_A_RULING * claims
    usage = Usage(
        input=answers + frame * len(asked) + TOKENS_SENT_A_CLAIM * claims,
        cache_write=written,
        cache_read=prefix * len(asked) - written,
        output=output,
    )
    return cost_of(cell.pins.requested_model, usage)


def _first_request(by_cell: dict[AnyCell, list[Unit]]) -> int | None:
    """Of the longest: longer material never costs less."""
    most = 0
    sizes = {cell: max(unit.characters for unit in units) for cell, units in by_cell.items()}
    longest = {cell: characters for cell, characters in sizes.items() if characters}
    for cell in _candidates(longest):
        for prompt in cell.prompts(longest[cell] + cell.cached_characters):
            model = cell.pins.requested_model
            cost = worst_cost(model, prompt, (), settings.JUDGE_MAX_TOKENS)
            if cost is None:
                return None
            most = max(most, cost)
    return most


def _candidates(longest: dict[AnyCell, int]) -> list[AnyCell]:
    """Captures may come with a system prompt each: of a kind, one cell decides."""
    largest: dict[object, AnyCell] = {}
    for cell, characters in longest.items():
        kind = (cell.pins.requested_model, cell.frame)
        best = largest.get(kind)
        size = characters + cell.cached_characters
        if best is None or size > longest[best] + best.cached_characters:
            largest[kind] = cell
    return list(largest.values())
