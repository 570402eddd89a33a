"""The worker's side of the claim step: the claims of what is judged, extracted at most once.

Whoever needs claims that nobody has extracted does so itself, inside its judgement; who needs
them meanwhile waits, without a place among the requests in flight. The extraction is over before
its judgement takes a place of its own, so that nobody holds what the other waits for.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from django.conf import settings

from judgeweb.judging.claims import LABELS, extract
from judgeweb.judging.conversation import Answered
from judgeweb.judging.text import is_blank
from judgeweb.judging.types import Case, Claim, ClaimList, Outcome, Reply, Unjudged
from verdicts_app.work import extractions
from verdicts_app.work.asking import ELSEWHERE_S, ItemLedger, Stopped
from verdicts_app.work.cases import secret
from verdicts_app.work.extractions import Finished, Found, Holder, Wanted
from verdicts_app.work.instrument import extractor_of
from verdicts_app.work.items import Item
from verdicts_app.work.judge_config import JudgeChoice
from verdicts_app.work.judges import Judges
from verdicts_app.work.record import Record
from verdicts_app.work.writer import Writer

UNREAD = "the claims of the response could not be read: "


@dataclass(eq=False)
class Extractions:
    """Those of one drain. Within it one judgement at a time looks after a text."""

    writer: Writer
    judges: Judges
    _locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    def of(self, item: Item, ledger: ItemLedger, goes_on: Callable[[], bool]) -> ItemClaims | None:
        """None where the item's epoch has no claim step. `goes_on` says whether it is still worth
        waiting for others."""
        extractor = extractor_of(item.epoch)
        if extractor is None:
            return None
        return ItemClaims(self, item, extractor, ledger, goes_on)

    def lock(self, key: str) -> asyncio.Lock:
        return self._locks[key]


@dataclass(eq=False)
class ItemClaims:
    """The claims that one judgement needs. `ledger` writes down the requests that it makes for
    them, `replies` are what came. `main` goes on from there with those that match.
    `is_unread`: they could not be read."""

    shared: Extractions
    item: Item
    extractor: JudgeChoice
    main: ItemLedger
    goes_on: Callable[[], bool]
    ledger: ItemLedger = field(init=False)
    replies: list[Reply] = field(default_factory=list)
    is_unread: bool = False

    def __post_init__(self) -> None:
        self.ledger = replace(self.main, model=self.extractor.model)

    async def prepare(self, case: Case) -> Case | Unjudged:
        """The case with the claims of every response that is not empty."""
        claims: list[ClaimList | None] = []
        for label, contestant in zip(LABELS, case.contestants, strict=False):
            if is_blank(contestant.response):
                claims.append(None)
                continue
            found = await self._claims(contestant.response, label)
            if isinstance(found, Unjudged):
                self.is_unread = True
                return replace(found, detail=UNREAD + found.detail)
            claims.append(found)
        return replace(case, claims=tuple(claims))

    async def _claims(self, text: str, label: str) -> ClaimList | Unjudged:
        wanted = Wanted(self.item.id, self.item.attempt, text, self.extractor, label)
        async with self.shared.lock(wanted.key):
            while True:
                found: Found = await self.shared.writer.order(extractions.look_up, wanted)
                if isinstance(found, ClaimList | Unjudged):
                    return found
                if not self.goes_on():
                    raise Stopped
                if found is Holder.ANOTHER:
                    await asyncio.sleep(ELSEWHERE_S)
                    continue
                came = await self._extracted(wanted)
                if isinstance(came, Unjudged):
                    return came

    async def _extracted(self, wanted: Wanted) -> Answered[tuple[Claim, ...]] | Unjudged:
        """Asked and stored. Where it was taken over meanwhile, what is stored is looked up."""
        judge = await self.shared.judges.opened(self.extractor)
        place = judge.place()
        self.ledger.before_waiting = place.leave
        try:
            came = await extract(
                wanted.text,
                judge.ask(self.ledger, place, self.item.spent),
                secret=secret(),
                label=wanted.label,
                max_tokens=settings.JUDGE_MAX_TOKENS,
                reports_usage=settings.JUDGE_REPORTS_USAGE,
            )
            self.replies += came.replies
            await self.shared.writer.order(extractions.finish, Finished(wanted, came), urgent=True)
            return came
        finally:
            place.leave()
            self.main.requests = self.ledger.requests
            self.main.cost_nano_usd = self.ledger.cost_nano_usd


def record_of(
    item: Item, outcome: Outcome, ledger: ItemLedger, claims: ItemClaims | None
) -> Record:
    """The outcome with all that the judgement asked for, its claims first."""
    if claims is None:
        return Record(item, outcome, ledger.cost_nano_usd, ledger.model)
    return Record(
        item,
        replace(outcome, replies=(*claims.replies, *outcome.replies)),
        ledger.cost_nano_usd,
        claims.extractor.model if claims.is_unread else ledger.model,
    )
