"""The worker's side of a drafting: one prompt, asked on the paced path that judgements take.

Every request is written down before it is sent. Whatever happens, the drafting ends as a value.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from judgeweb.judging.conversation import ask_for
from judgeweb.judging.documents import ContractDocument
from judgeweb.judging.drafting import read_draft
from judgeweb.judging.errors import CaseRefused, JudgeFault, ProviderError
from judgeweb.judging.types import Prompt, Reply, Turn, Unjudged, UnjudgedReason
from verdicts_app.models import Drafting, DraftingRequest
from verdicts_app.work import drafting as service
from verdicts_app.work import judge_config, ledger
from verdicts_app.work.asking import BudgetReached
from verdicts_app.work.judges import Judges
from verdicts_app.work.ledger import Ending
from verdicts_app.work.money import cost_of_outcome, worst_cost
from verdicts_app.work.writer import Writer, run_beside

logger = logging.getLogger(__name__)


def work_off_draftings() -> None:
    """All that wait, one after another. Any number of these may run at once."""
    for pk in service.waiting_draftings():
        work_off(pk)


def work_off(drafting_id: int) -> None:
    """Ask for this one, if nobody else does."""
    drafting = service.claim_drafting(drafting_id)
    if drafting is None:
        return
    try:
        outcome = _asked(drafting)
    except Exception:
        # A bug must neither leave it at work for ever nor be paid for again.
        logger.exception("drafting %s met a bug", drafting_id)
        reason = UnjudgedReason.INTERNAL_ERROR.value
        service.failed(drafting_id, reason, "The worker's log says why.")
        return
    if isinstance(outcome, ContractDocument):
        service.drafted(drafting_id, outcome)
    else:
        service.failed(drafting_id, outcome.reason, outcome.detail)


class Failure(NamedTuple):
    reason: str
    detail: str


def _asked(drafting: Drafting) -> ContractDocument | Failure:
    if not judge_config.is_configured():
        return Failure(service.NO_JUDGE, judge_config.NOT_CONFIGURED)
    loop = DraftingLoop(drafting)
    return run_beside(loop.writer, loop.main(), loop.abort)


class Request(NamedTuple):
    """One about to be written down. `worst_nano_usd` is None where the price is not known."""

    drafting: Drafting
    ordinal: int
    prompt: Prompt
    turns: tuple[Turn, ...]
    max_tokens: int
    worst_nano_usd: int | None


@dataclass(eq=False)
class DraftingLoop:
    """`main` runs in a loop of its own; `writer` is run by the thread that owns the database."""

    drafting: Drafting
    writer: Writer = field(init=False)
    _main: asyncio.Task[None] | None = None
    _requests: int = 0

    def __post_init__(self) -> None:
        self.writer = Writer(
            beat=lambda: service.renew_drafting(self.drafting.pk), beat_s=settings.JUDGE_LEASE_S / 4
        )

    def abort(self) -> None:
        if self.writer.loop is not None and self._main is not None:
            self.writer.loop.call_soon_threadsafe(self._main.cancel)

    async def main(self) -> ContractDocument | Failure:
        self.writer.loop = asyncio.get_running_loop()
        self._main = asyncio.current_task()
        try:
            outcome = await self._drafted()
        except JudgeFault as fault:
            return Failure(service.NO_JUDGE, fault.message)
        except CaseRefused as refused:
            return Failure(UnjudgedReason.CASE_REFUSED.value, refused.message)
        except BudgetReached:
            return Failure(service.BUDGET, "The next request could have passed the cap.")
        if isinstance(outcome, Unjudged):
            return Failure(outcome.reason.value, outcome.detail)
        return outcome

    async def _drafted(self) -> ContractDocument | Unjudged:
        drafting = self.drafting
        system_prompt = drafting.system_prompt.original
        async with AsyncExitStack() as stack:
            judge = await Judges(stack).opened(service.judge_of_drafting(drafting))
            place = judge.place()
            try:
                return await ask_for(
                    service.prompt_of(drafting.call_type, drafting.system_prompt),
                    lambda payload: read_draft(
                        payload, call_type=drafting.call_type, system_prompt=system_prompt
                    ),
                    judge.ask(self, place),
                    max_tokens=settings.JUDGE_MAX_TOKENS,
                    reports_usage=settings.JUDGE_REPORTS_USAGE,
                )
            finally:
                place.leave()

    # --- its ledger ---

    async def opened(
        self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int
    ) -> tuple[int, int | None]:
        """Raise BudgetReached where the request must not be sent."""
        worst = worst_cost(self.drafting.model, prompt, turns, max_tokens)
        self._requests += 1
        request = Request(self.drafting, self._requests, prompt, turns, max_tokens, worst)
        entry_id: int | None = await self.writer.order(open_requests, request)
        if entry_id is None:
            raise BudgetReached
        return entry_id, worst

    async def closed(self, token: tuple[int, int | None], came: Reply | ProviderError) -> None:
        """Awaited, so that the next request knows what this one cost."""
        entry_id, worst = token
        cost = cost_of_outcome(self.drafting.model, came, worst)
        await self.writer.order(close_requests, Ending(entry_id, came, cost, timezone.now()))


def open_requests(requests: Sequence[Request]) -> list[int | None]:
    """The rows' ids; None where the cap has no room for what the request could cost."""
    return [_open(request) for request in requests]


def _open(request: Request) -> int | None:
    cap = request.drafting.budget_nano_usd
    if cap is not None and request.worst_nano_usd is not None:
        spent = service.cost_of_drafting(request.drafting.pk)
        if spent + request.worst_nano_usd > cap:
            return None
    row = DraftingRequest.objects.create(
        drafting=request.drafting,
        ordinal=request.ordinal,
        system_id=ledger.prefix_id(request.prompt.system),
        messages=ledger.packed(ledger.messages_of(request.prompt, request.turns)),
        max_tokens=request.max_tokens,
        opened_at=timezone.now(),
        cost_nano_usd=request.worst_nano_usd,
    )
    return row.pk


def close_requests(endings: Sequence[Ending]) -> list[None]:
    ledger.close_rows(DraftingRequest, endings)
    return [None] * len(endings)
