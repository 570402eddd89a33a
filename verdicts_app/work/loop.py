"""The loop of a drain: claims ahead, judges side by side, hands outcomes to the writer."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings

from judgeweb.judging.errors import JudgeFault
from judgeweb.judging.providers.pace import PLACES
from verdicts_app.models import JobState
from verdicts_app.work import claim, orders
from verdicts_app.work.asking import BudgetReached, ItemLedger, Stopped
from verdicts_app.work.extracting import Extractions, record_of
from verdicts_app.work.hand import JobInHand, judge_of, take_in_hand
from verdicts_app.work.items import Item
from verdicts_app.work.judges import Judges
from verdicts_app.work.ledger import Ledger
from verdicts_app.work.outcomes import Outcomes
from verdicts_app.work.record import Record, Recorder
from verdicts_app.work.unasked import nobody
from verdicts_app.work.writer import Writer

logger = logging.getLogger(__name__)

TICK_S = 0.25
KEEP_S = 0.5
"""How often job states are looked at: a pause takes effect within this time."""
EMPTY_S = 0.25
"""How long after a claim that found nothing the next one waits."""
GRACE_S = 25.0
"""How long a worker that was told to stop waits for requests in flight."""


@dataclass(eq=False)
class _Duty:
    """Something to be done again and again."""

    every_s: float
    do: Callable[[], Awaitable[None]]
    done_at: float = field(default_factory=time.monotonic)

    async def done_if_due(self, now: float) -> None:
        if now - self.done_at > self.every_s:
            self.done_at = now
            await self.do()


@dataclass(eq=False)
class DrainLoop:
    """`main` runs in a loop of its own; `writer` is run by the thread that owns the database."""

    only: UUID | None
    until_s: float | None
    should_stop: Callable[[], bool]
    writer: Writer = field(init=False)
    _main: asyncio.Task[None] | None = None
    _stopping: bool = False
    _busy: int = 0
    _jobs: dict[UUID, JobInHand] = field(default_factory=dict)
    _preparing: set[UUID] = field(default_factory=set)
    _seen: set[UUID] = field(default_factory=set)
    _held: set[Item] = field(default_factory=set)
    _outcomes: Outcomes = field(default_factory=Outcomes)
    _book: Ledger = field(default_factory=Ledger)
    _recorder: Recorder = field(default_factory=Recorder)

    def __post_init__(self) -> None:
        self.writer = Writer(beat=self._renew, beat_s=settings.JUDGE_LEASE_S / 4)

    def _renew(self) -> None:
        """In the writer's thread. The copy is made in one step, whatever the loop does."""
        if held := self._held.copy():
            claim.renew(held)

    async def main(self) -> None:
        self.writer.loop = asyncio.get_running_loop()
        self._main = asyncio.current_task()
        self._ready: asyncio.Queue[Item | None] = asyncio.Queue()
        self._changed = asyncio.Event()
        self._enough = settings.JUDGE_IN_FLIGHT
        self._found = True
        self._ends_at = time.monotonic() + (self.until_s or float("inf"))
        async with AsyncExitStack() as stack:
            self._judges = Judges(stack)
            self._extractions = Extractions(self.writer, self._judges)
            async with asyncio.TaskGroup() as group:
                self._group = group
                await self._drain()
        await self._leave()

    def abort(self) -> None:
        """Called from the writer's thread when it cannot go on."""
        if self.writer.loop is not None and self._main is not None:
            self.writer.loop.call_soon_threadsafe(self._main.cancel)

    async def _drain(self) -> None:
        # Never more: judgements that wait with a row for a place must leave rows to its holders.
        places = PLACES * settings.JUDGE_IN_FLIGHT
        self._workers = [self._group.create_task(self._work()) for _ in range(places)]
        keeper = self._group.create_task(self._keep())
        await self._claim()
        while not self._ready.empty():
            self._ready.get_nowait()
        for _ in self._workers:
            self._ready.put_nowait(None)
        await asyncio.wait(self._workers)
        keeper.cancel()

    async def _leave(self) -> None:
        """Decide or give back what is still held, and finish what is done."""
        for job in self._jobs.values():
            if not self._stopping:
                await self._decide(job)
        if self._held:
            await self._give_back(list(self._held))
        await self.writer.order(orders.finish, list(self._seen))

    # --- claiming ---

    async def _claim(self) -> None:
        """Keep enough items ready until nothing is left or it is time to end."""
        while not self._stopping and time.monotonic() < self._ends_at:
            self._changed.clear()
            if self._ready.qsize() < self._enough:
                self._found = await self._take(2 * self._enough)
                if not self._found and self._idle and not await self._take(1, suspects=True):
                    return
                if self._found:
                    continue
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), EMPTY_S)

    @property
    def _idle(self) -> bool:
        return not (self._busy or self._preparing or self._ready.qsize())

    async def _take(self, limit: int, *, suspects: bool = False) -> bool:
        """Claim for the jobs in hand; take jobs in hand that were not. False: there was none."""
        taken: orders.Taken = await self.writer.order(
            orders.take, orders.Take(self.only, frozenset(self._jobs), limit, suspects)
        )
        for job_id in taken.unseen:
            if job_id not in self._preparing:
                self._preparing.add(job_id)
                self._group.create_task(self._prepare(job_id))
        self._held.update(taken.items)
        for item in taken.items:
            self._ready.put_nowait(item)
        return bool(taken.items)

    async def _prepare(self, job_id: UUID) -> None:
        """Take a job in hand; its judge is probed before its first item is judged."""
        self._seen.add(job_id)
        try:
            job: JobInHand | None = await self.writer.order(take_in_hand, job_id)
            if job is None:
                return
            if await self._probed(job):
                self._jobs[job_id] = job
        finally:
            self._preparing.discard(job_id)
            self._changed.set()

    async def _probed(self, job: JobInHand) -> bool:
        """Every judge that has to be asked, one after the other."""
        if not job.probe_with:
            return True
        try:
            for choice, judgement_id in job.probe_with.items():
                judge_in_hand = await self._judges.opened(choice)
                await judge_in_hand.probe(
                    ItemLedger(self.writer, self._book, job, choice.model, judgement_id, attempt=0)
                )
        except JudgeFault as fault:
            await self.writer.order(orders.wait_for_judge, (job.id, fault))
        except BudgetReached:
            await self.writer.order(orders.park, job.id)
        except Stopped:
            pass
        else:
            await self.writer.order(orders.probed, job.id)
            return True
        return False

    # --- judging ---

    async def _work(self) -> None:
        while (item := await self._ready.get()) is not None:
            self._busy += 1
            if self._found and self._ready.qsize() < self._enough:
                self._changed.set()
            try:
                await self._judge(item)
            finally:
                self._busy -= 1
            if self._idle:
                self._changed.set()

    async def _judge(self, item: Item) -> None:
        job = self._jobs.get(item.job_id)
        if job is None or not job.runs or self._stopping:
            await self._give_back([item])
            return
        if not item.epoch.requested_model:
            await self._record([Record(item, await self._outcomes.of(item, nobody))])
            return
        judge_in_hand = await self._judges.opened(judge_of(item.epoch))
        place = judge_in_hand.place()
        ledger = ItemLedger(
            self.writer, self._book, job, item.epoch.requested_model, item.id, item.attempt
        )
        ledger.before_waiting = place.leave
        claims = self._extractions.of(item, ledger, lambda: self._goes_on(job))
        try:
            ask = judge_in_hand.ask(ledger, place, item.spent)
            record = record_of(item, await self._outcomes.of(item, ask, claims), ledger, claims)
            if not job.hold_back(record):
                await self._record([record])
        except (JudgeFault, BudgetReached, Stopped) as reason:
            await self._stop_job(job, reason)
            await self._give_back([item])
            return
        finally:
            place.leave()
        for asked in (claims.ledger, ledger) if claims else (ledger,):
            await self._prove(job, asked)

    def _goes_on(self, job: JobInHand) -> bool:
        """Whether a judgement of the job may still wait for others."""
        return job.runs and not self._stopping and time.monotonic() < self._ends_at

    async def _prove(self, job: JobInHand, ledger: ItemLedger) -> None:
        """A judge that answered takes requests: what it refused before are the items' faults."""
        if ledger.answered and ledger.model not in job.proven:
            job.proven.add(ledger.model)
            await self._record(job.let_go_of(ledger.model))

    async def _stop_job(self, job: JobInHand, reason: JudgeFault | BudgetReached | Stopped) -> None:
        """The job waits or is parked; what it holds unstarted is given back."""
        if isinstance(reason, JudgeFault):
            await self.writer.order(orders.wait_for_judge, (job.id, reason))
        elif isinstance(reason, BudgetReached):
            await self.writer.order(orders.park, job.id)
        await self._let_go(job)

    async def _let_go(self, job: JobInHand) -> None:
        job.runs = False
        self._jobs.pop(job.id, None)
        await self._give_back([record.item for record in job.let_go()])

    async def _decide(self, job: JobInHand) -> None:
        """Refusals that were held back are the items' own after all."""
        await self._record(job.let_go())

    # --- handing over ---

    async def _record(self, records: Iterable[Record]) -> None:
        for written in [(r, self.writer.order(self._write, r, urgent=True)) for r in records]:
            if not await written[1]:
                logger.warning("judgement %s was taken over by another worker", written[0].item.id)
            self._held.discard(written[0].item)

    def _write(self, records: Sequence[Record]) -> list[bool]:
        ids = self._recorder.write(records)
        return [record.item.id in ids for record in records]

    async def _give_back(self, items: list[Item]) -> None:
        if items:
            await asyncio.gather(*[self.writer.order(orders.release, item) for item in items])
            self._held.difference_update(items)

    # --- keeping ---

    async def _keep(self) -> None:
        """See what became of the jobs, sweep, hear when to stop."""
        duties = [
            _Duty(KEEP_S, self._look_at_jobs),
            _Duty(settings.JUDGE_SWEEP_S, self._sweep),
        ]
        stop_by = float("inf")
        while True:
            await asyncio.sleep(TICK_S)
            now = time.monotonic()
            if not self._stopping and self.should_stop():
                self._stopping, stop_by = True, now + GRACE_S
                self._changed.set()
            if now > stop_by:
                for worker in self._workers:
                    worker.cancel()
            for duty in duties:
                await duty.done_if_due(now)

    async def _sweep(self) -> None:
        await self.writer.order(orders.sweep_up, None)

    async def _look_at_jobs(self) -> None:
        states: dict[UUID, str] = await self.writer.order(orders.look_at, list(self._seen))
        for job in list(self._jobs.values()):
            if states.get(job.id) != JobState.RUNNING:
                await self._let_go(job)
