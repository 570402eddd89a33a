"""What a request to judge would cost, before anything is written or sent."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from judgeweb.judging.types import Usage
from verdicts_app.work.judge_config import is_configured
from verdicts_app.work.money import cost_of, tokens_in, worst_cost
from verdicts_app.work.request import JudgeRequest, Refusal, Unlinked
from verdicts_app.work.selection import AnyCell, Selection, Unit, select_work

TOKENS_A_ENTRY = 90
"""What a judge writes for one mark or item: its reasoning, a quote, the value."""
TOKENS_BESIDE = 150


@dataclass(frozen=True)
class Price:
    """`model` names the judge models that are asked. Nano-USD; None where a price is not known.
    `estimate` expects replies of the usual length and the scenario's prefix read from the cache
    after its first request. `first_request` is the most that one request can cost: a smaller
    budget sends nothing. `taken` judgements ask nobody: an earlier verdict says what the judge
    decides."""

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


def price(*, request: JudgeRequest) -> Price:
    """Raise CaseRefused where the request itself cannot be used, naming its field."""
    return price_of(select_work(request))


def price_of(selection: Selection) -> Price:
    by_cell: dict[AnyCell, list[Unit]] = {}
    for unit in selection.units:
        by_cell.setdefault(unit.cell, []).append(unit)
    costs = [_cell_cost(cell, units) for cell, units in by_cell.items()]
    known = [cost for cost in costs if cost is not None]
    return Price(
        model=selection.models,
        judgements=len(selection.units),
        estimate_nano_usd=sum(known) if len(known) == len(costs) else None,
        first_request_nano_usd=_first_request(by_cell),
        already_judged=selection.already_judged,
        already_planned=selection.already_planned,
        failed_runs=selection.failed_runs,
        unlinked=tuple(selection.unlinked),
        refused=tuple(selection.refused),
        judge_is_configured=is_configured(),
        needs_a_judge=selection.needs_a_judge,
        taken=selection.taken,
    )


def _cell_cost(cell: AnyCell, units: list[Unit]) -> int | None:
    """The first request writes the prefix to the cache, the others read it."""
    asked = [unit for unit in units if unit.characters]
    if not asked:
        return 0
    prompts = cell.prompts(0)
    prefix = sum(tokens_in(len(prompt.system) + cell.cached_characters) for prompt in prompts)
    systems = {prompt.system for prompt in prompts}
    written = sum(tokens_in(len(system) + cell.cached_characters) for system in systems)
    frame = sum(tokens_in(len(prompt.user)) for prompt in prompts)
    answers = sum(tokens_in(unit.characters) for unit in asked) * len(prompts)
    output = len(asked) * len(prompts) * (TOKENS_BESIDE + TOKENS_A_ENTRY * cell.entries)
    usage = Usage(
        input=answers + frame * len(asked),
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
