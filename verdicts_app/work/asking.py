"""The ledger as the provider sees it: one for each judgement in hand."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from django.utils import timezone

from judgeweb.judging.errors import ProviderError
from judgeweb.judging.types import Prompt, Reply, Turn
from verdicts_app.models import LedgerEntry, LedgerState
from verdicts_app.work import ledger
from verdicts_app.work.budget import Refused
from verdicts_app.work.hand import JobInHand
from verdicts_app.work.ledger import Closing, Ledger, Opening
from verdicts_app.work.money import cost_of_outcome, worst_cost
from verdicts_app.work.writer import Writer

logger = logging.getLogger(__name__)

ELSEWHERE_S = 0.5
"""How often the budget is looked at again while other workers' requests are on their way."""


class Stopped(Exception):
    """The job does not run any more: the judgement is given back."""


class BudgetReached(Exception):
    """The budget has no room for the next request, and none will come."""


class Ticket(NamedTuple):
    entry_id: int
    opening: Opening


@dataclass(eq=False)
class ItemLedger:
    """Writes down the requests of one judgement and sums up what they cost.
    `cost_nano_usd` is None as soon as one price is not known. `before_waiting` is called before the
    budget is waited for: requests that hold its room may wait for what this judgement keeps."""

    writer: Writer
    book: Ledger
    job: JobInHand
    model: str
    judgement_id: int
    attempt: int
    requests: int = 0
    answered: bool = False
    cost_nano_usd: int | None = 0
    before_waiting: Callable[[], None] = lambda: None

    async def opened(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Ticket:
        """Raise Stopped or BudgetReached where the request must not be sent."""
        opening = Opening(
            judgement_id=self.judgement_id,
            job_id=self.job.id,
            attempt=self.attempt,
            ordinal=self.requests + 1,
            prompt=prompt,
            turns=turns,
            max_tokens=max_tokens,
            worst_nano_usd=worst_cost(self.model, prompt, turns, max_tokens),
        )
        while True:
            answer: int | Refused = await self.writer.order(self.book.open, opening)
            if isinstance(answer, int):
                self.requests += 1
                self.job.sent()
                return Ticket(answer, opening)
            if answer is Refused.STOPPED:
                raise Stopped
            await self._room()

    async def _room(self) -> None:
        """Wait until a request on its way has given back what it did not cost."""
        self.before_waiting()
        if self.job.on_the_way:
            self.job.settled.clear()
            await self.job.settled.wait()
        elif await self.writer.order(on_the_way_elsewhere, self.job.id):
            await asyncio.sleep(ELSEWHERE_S)
        else:
            raise BudgetReached

    async def closed(self, token: Ticket, came: Reply | ProviderError) -> None:
        """Not awaited: the row is closed in an earlier order than the outcome is recorded."""
        self.answered = self.answered or isinstance(came, Reply)
        cost = cost_of_outcome(self.model, came, token.opening.worst_nano_usd)
        if cost is None or self.cost_nano_usd is None:
            self.cost_nano_usd = None
        else:
            self.cost_nano_usd += cost
        closing = Closing(token.entry_id, token.opening, came, cost, timezone.now())
        settled = self.writer.order(close_all, closing)
        settled.add_done_callback(self._settled)

    def _settled(self, future: asyncio.Future[None]) -> None:
        self.job.came()
        if not future.cancelled() and (error := future.exception()):
            logger.error("a request of judgement %s was not closed: %s", self.judgement_id, error)


def close_all(closings: Sequence[Closing]) -> list[None]:
    ledger.close(closings)
    return [None] * len(closings)


def on_the_way_elsewhere(job_ids: Sequence[UUID]) -> list[bool]:
    requests = LedgerEntry.objects.filter(state=LedgerState.OPEN)
    return [requests.filter(judgement__job=job_id).exists() for job_id in job_ids]
