"""A sitting of the made-up judge: planned, judged and recorded as real work is, at its own time."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from judgeweb.judging.types import Prompt, Reply
from verdicts_app.models import (
    Epoch,
    Job,
    JobEvent,
    JobState,
    Judgement,
    LedgerEntry,
    LedgerState,
    Run,
)
from verdicts_app.sample.judging import MODEL, Judged, MadeUpJudge
from verdicts_app.work import ledger, money
from verdicts_app.work.claim import claim_named
from verdicts_app.work.items import Item
from verdicts_app.work.plan import plan_judgements
from verdicts_app.work.record import Record, Recorder
from verdicts_app.work.request import JudgeRequest
from verdicts_app.work.selection import Selection, select_work

PRICED_AS = "claude-sonnet-5-5"
"""Sample tokens are priced like this model's, so that boards have a cost to show."""
MAX_TOKENS = 8000
TOOK = timedelta(minutes=9)
BUDGET_NANO_USD = 5 * 10**9


def wanted(**of: object) -> JudgeRequest:
    """A request for sample verdicts, the same whatever judge the installation has."""
    return JudgeRequest(**of, model=MODEL, effort="", output_mode="text", is_sample=True)  # type: ignore[arg-type]


@dataclass
class Sittings:
    """All sittings of one judge, one after the other in time."""

    judge: MadeUpJudge
    _held: int = 0
    _prefixes: dict[str, int] = field(default_factory=dict)
    _recorder: Recorder = field(default_factory=Recorder)

    def hold(self, at: datetime, requests: Iterable[JudgeRequest], run: Run | None = None) -> None:
        """One job a request, the first of which began at `at`."""
        for request in requests:
            self._hold(at, request, run)
            at += TOOK

    def _hold(self, at: datetime, request: JudgeRequest, run: Run | None) -> None:
        self._held += 1
        selection = select_work(request)
        job = Job.objects.create(run=run, created_at=at, probed_at=at)
        plan_judgements(job, selection)
        judgements = Judgement.objects.filter(job=job)
        items = claim_named(list(judgements.values_list("pk", flat=True)))
        outcomes = asyncio.run(self._judged(items))
        costs = self._write_requests(items, outcomes, at)
        records = [
            Record(item, one.outcome, cost)
            for item, one, cost in zip(items, outcomes, costs, strict=True)
        ]
        self._recorder.write(records, at=at + TOOK)
        judgements.update(planned_at=at)
        _begin_epochs({item.epoch.pk for item in items}, at)
        _finish(job, selection, sum(costs), at)

    async def _judged(self, items: Iterable[Item]) -> list[Judged]:
        return [await self.judge.judged(item, self._held) for item in items]

    def _write_requests(
        self, items: Sequence[Item], outcomes: Sequence[Judged], at: datetime
    ) -> list[int]:
        """Write the ledger; return what each judgement cost, in 1e-9 USD."""
        entries: list[LedgerEntry] = []
        costs = []
        for item, judged in zip(items, outcomes, strict=True):
            rows = [
                self._entry(item, ordinal, *request, at)
                for ordinal, request in enumerate(judged.requests, 1)
            ]
            costs.append(sum(row.cost_nano_usd or 0 for row in rows))
            entries += rows
        LedgerEntry.objects.bulk_create(entries)
        return costs

    def _entry(
        self, item: Item, ordinal: int, prompt: Prompt, reply: Reply, at: datetime
    ) -> LedgerEntry:
        if prompt.system not in self._prefixes:
            self._prefixes[prompt.system] = ledger.prefix_id(prompt.system)
        return LedgerEntry(
            judgement_id=item.id,
            attempt=item.attempt,
            ordinal=ordinal,
            prompt=prompt.label,
            state=LedgerState.ANSWERED,
            system_id=self._prefixes[prompt.system],
            messages=ledger.packed(ledger.messages_of(prompt, ())),
            max_tokens=MAX_TOKENS * ordinal,
            opened_at=at,
            closed_at=at + timedelta(milliseconds=reply.latency_ms),
            status=200,
            request_id=reply.request_id,
            returned_model=reply.model,
            stop_reason=reply.stop_reason,
            reply=ledger.packed(ledger.lossless(reply)),
            input_tokens=reply.usage.input,
            cache_read_tokens=reply.usage.cache_read,
            output_tokens=reply.usage.output,
            cost_nano_usd=money.cost_of(PRICED_AS, reply.usage),
            latency_ms=reply.latency_ms,
        )


def _begin_epochs(ids: set[int], at: datetime) -> None:
    """An epoch began with its first verdict."""
    Epoch.objects.filter(pk__in=ids, started_at__gt=at).update(started_at=at)


def _finish(job: Job, selection: Selection, cost: int, at: datetime) -> None:
    job.state, job.finished_at = JobState.DONE, at + TOOK
    job.budget_nano_usd = None if selection.is_computed else BUDGET_NANO_USD
    job.committed_nano_usd = job.estimate_nano_usd = cost
    job.save()
    JobEvent.objects.bulk_create(
        [
            JobEvent(job=job, at=at, text="Judging started (sample data)"),
            JobEvent(job=job, at=at + TOOK, text="Done"),
        ]
    )
