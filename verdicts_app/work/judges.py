"""The judges of one drain: each opened once, with the pace that all its requests share."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.conf import settings

from judgeweb.judging.errors import JudgeFault, ProviderBusy
from judgeweb.judging.providers.pace import Ledger, Pace, PacedAsk
from judgeweb.judging.types import Prompt, Reply, Turn
from verdicts_app.work.asking import ItemLedger
from verdicts_app.work.judge_config import JudgeChoice, load_sdk, open_judge

if TYPE_CHECKING:
    from judgeweb.judging.providers.anthropic import AnthropicJudge


@dataclass(eq=False)
class Place:
    """One judgement's share of the requests in flight. It is taken before a request is sent and
    kept until the outcome is recorded, so that a worker that is killed has to repeat no more
    requests than may be in flight."""

    client: AnthropicJudge
    places: asyncio.Semaphore
    taken: bool = False

    async def take(self) -> None:
        if not self.taken:
            await self.places.acquire()
            self.taken = True

    async def send(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
        try:
            return await self.client.send(prompt, turns, max_tokens)
        except BaseException:
            # Nothing came that could be lost; waiting for another try must not block others.
            self.leave()
            raise

    def leave(self) -> None:
        if self.taken:
            self.taken = False
            self.places.release()


@dataclass(frozen=True, eq=False)
class OpenJudge:
    client: AnthropicJudge
    pace: Pace
    places: asyncio.Semaphore

    def place(self) -> Place:
        return Place(self.client, self.places)

    def ask(
        self, ledger: Ledger[Any], place: Place, spent: Mapping[str, int] | None = None
    ) -> PacedAsk:
        """`spent` counts, by prompt, the requests of workers that were lost."""
        attempts = settings.JUDGE_MAX_ATTEMPTS
        return PacedAsk(place.send, self.pace, ledger, attempts, spent, place.take)

    async def probe(self, ledger: ItemLedger) -> None:
        """One request, tried again like any other where the judge is busy. Raise JudgeFault
        where the judge cannot be used as configured, or what the ledger raises."""
        from judgeweb.judging.providers.anthropic import PROBE, PROBE_MAX_TOKENS

        async def send(_prompt: Prompt, _turns: tuple[Turn, ...], _max_tokens: int) -> Reply:
            return await self.client.probe()

        ask = PacedAsk(send, self.pace, ledger, settings.JUDGE_MAX_ATTEMPTS)
        try:
            await ask(PROBE, (), PROBE_MAX_TOKENS)
        except ProviderBusy as busy:
            raise JudgeFault(
                busy.message, code=busy.code, retry_after_s=busy.retry_after_s
            ) from busy


@dataclass(eq=False)
class Judges:
    """Closed with `stack`. To be used inside the loop that asks."""

    stack: AsyncExitStack
    _open: dict[JudgeChoice, OpenJudge] = field(default_factory=dict)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def opened(self, choice: JudgeChoice) -> OpenJudge:
        async with self._opening:
            if choice not in self._open:
                # Importing the SDK takes seconds; the loop goes on meanwhile.
                await asyncio.to_thread(load_sdk)
                client = await self.stack.enter_async_context(open_judge(choice))
                most = settings.JUDGE_IN_FLIGHT
                self._open[choice] = OpenJudge(client, Pace(most), asyncio.Semaphore(most))
            return self._open[choice]
