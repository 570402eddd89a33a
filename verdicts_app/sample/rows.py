"""One sample run as rows, written in bulk with the times of its own day."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from random import Random

from judgeweb.judging.documents import digest
from judgeweb.judging.types import Unjudged, Verdict
from rubrics_app.models import Revision, Scenario
from verdicts_app.models import (
    Epoch,
    Job,
    JobEvent,
    JobState,
    Judgement,
    JudgementState,
    LedgerEntry,
    LedgerState,
    Persona,
    PromptText,
    Response,
    ResponseOutcome,
    Run,
)
from verdicts_app.sample.answers import SampleAnswer
from verdicts_app.sample.judging import Judged, judged
from verdicts_app.work import ledger, money, sums, verdict_rows
from verdicts_app.work.identity import identity_of, pin, response_subject
from verdicts_app.work.items import Item, response_case
from verdicts_app.work.verdict_parts import insert_parts
from verdicts_app.work.verdict_rows import NewVerdict

PRICED_AS = "claude-sonnet-5-5"
"""Sample tokens are priced like this model's, so that boards have a cost to show."""
FAILED = 1 / 80
TOOK = timedelta(minutes=9)
TAKES = {"behaviours": timedelta(minutes=7), "checklist": TOOK}
"""The checklists are judged last: a board opens with the mode that has scenarios enough to rank."""
BUDGET_NANO_USD = 5 * 10**9


@dataclass(frozen=True, eq=False)
class Tried:
    """One answer before it is judged: who, on what, under which epoch."""

    persona: Persona
    scenario: Scenario
    revision: Revision
    gold: Revision | None
    epoch: Epoch
    said: SampleAnswer


def write_run(at: datetime, tried: list[Tried]) -> None:
    """Write a run of day `at` with its responses, job, judgements, verdicts and requests."""
    run = Run.objects.create(run_id=f"sample-{at:%Y-%m-%d}", created_at=at, is_sample=True)
    job = Job.objects.create(
        run=run,
        state=JobState.DONE,
        created_at=at,
        probed_at=at,
        finished_at=at + TOOK,
        budget_nano_usd=BUDGET_NANO_USD,
    )
    responses = Response.objects.bulk_create([_response(run, one, at) for one in tried])
    answered = [
        (_item(run, job, response, one), one.said.reply)
        for response, one in zip(responses, tried, strict=True)
        if response.text
    ]
    items = [item for item, _ in answered]
    outcomes = asyncio.run(_judge(answered))
    judgements = Judgement.objects.bulk_create(
        [_judgement(item, one, at) for item, one in zip(items, outcomes, strict=True)]
    )
    items = [replace(item, id=row.pk) for item, row in zip(items, judgements, strict=True)]
    costs = _write_requests(items, outcomes, at)
    with sums.kept_in_step(responses=(response.pk for response in responses)):
        _write_verdicts(items, outcomes, costs, at)
    Job.objects.filter(pk=job.pk).update(
        committed_nano_usd=sum(costs), estimate_nano_usd=sum(costs)
    )
    JobEvent.objects.bulk_create(
        [
            JobEvent(job=job, at=at, text="Judging started (sample data)"),
            JobEvent(job=job, at=at + TOOK, text="Done"),
        ]
    )


def _response(run: Run, tried: Tried, at: datetime) -> Response:
    rng = Random(f"{run.run_id}/{tried.persona.spec}/{tried.scenario.key}")
    failed = rng.random() < FAILED
    source_id = f"{rng.getrandbits(32):08x}"
    text = "" if failed else tried.said.text
    return Response(
        run=run,
        persona=tried.persona,
        scenario=tried.scenario,
        scenario_key=tried.scenario.key,
        source_id=source_id,
        identity=source_id,
        content_sha256=sha256(text.encode()).hexdigest(),
        outcome=ResponseOutcome.FAILED if failed else ResponseOutcome.ANSWERED,
        failure="the agent's run ended with an error (sample)" if failed else "",
        text=text,
        character=tried.persona.character,
        model="sample-agent-2" if tried.persona.role == "dev" else "sample-agent-1",
        answered_at=at - timedelta(seconds=rng.randint(60, 3600)),
        uploaded_at=at,
        duration_ms=rng.randint(9000, 60000),
        output_tokens=len(text) // 4,
    )


def _item(run: Run, job: Job, response: Response, tried: Tried) -> Item:
    subject = response_subject(
        run_id=run.run_id,
        spec=tried.persona.spec,
        scenario_key=response.scenario_key,
        identity=response.identity,
    )
    identity = identity_of(
        subject=subject,
        repeat=1,
        base_digest=tried.epoch.base_digest,
        scenario_pin=pin(tried.revision),
        gold_pin=pin(tried.gold),
    )
    return Item(
        id=0,
        attempt=1,
        job_id=job.pk,
        mode=tried.epoch.mode,
        repeat=1,
        identity=identity,
        epoch=tried.epoch,
        scenario=tried.revision,
        gold=tried.gold,
        scenario_id=tried.scenario.pk,
        response_id=response.pk,
        text=response.text,
        answered_at=response.answered_at,
        character=response.character,
        run_pk=run.pk,
        persona_id=tried.persona.pk,
        spec=tried.persona.spec,
        subject=subject,
    )


async def _judge(answered: list[tuple[Item, str]]) -> list[Judged]:
    return [await judged(item.mode, response_case(item), reply) for item, reply in answered]


def _judgement(item: Item, judged: Judged, at: datetime) -> Judgement:
    unjudged = judged.outcome if isinstance(judged.outcome, Unjudged) else None
    return Judgement(
        job_id=item.job_id,
        mode=item.mode,
        response_id=item.response_id,
        scenario_id=item.scenario_id,
        scenario_revision=item.scenario,
        gold_revision=item.gold,
        epoch=item.epoch,
        identity=item.identity,
        state=JudgementState.UNJUDGED if unjudged else JudgementState.JUDGED,
        attempt=1,
        unjudged_reason=unjudged.reason.value if unjudged else "",
        unjudged_detail=unjudged.detail if unjudged else "",
        planned_at=at,
        finished_at=at + TAKES[item.mode],
    )


def _write_verdicts(
    items: list[Item], outcomes: list[Judged], costs: list[int], at: datetime
) -> None:
    """By mode, since each mode is judged at its own time."""
    for mode, takes in TAKES.items():
        new = [
            NewVerdict(item, one.outcome, item.epoch, cost)
            for item, one, cost in zip(items, outcomes, costs, strict=True)
            if item.mode == mode and isinstance(one.outcome, Verdict)
        ]
        ids = verdict_rows.insert_verdicts(new, at + takes)
        insert_parts(ids, new)


def _write_requests(items: list[Item], outcomes: list[Judged], at: datetime) -> list[int]:
    """Write the ledger; return what each judgement cost, in 1e-9 USD."""
    prefixes: dict[str, PromptText] = {}
    entries: list[LedgerEntry] = []
    costs = []
    for item, judged_one in zip(items, outcomes, strict=True):
        rows = _entries(item, judged_one, prefixes, at)
        costs.append(sum(row.cost_nano_usd or 0 for row in rows))
        entries += rows
    LedgerEntry.objects.bulk_create(entries)
    return costs


def _entries(
    item: Item, judged: Judged, prefixes: dict[str, PromptText], at: datetime
) -> list[LedgerEntry]:
    entries = []
    for ordinal, (prompt, reply) in enumerate(judged.requests, 1):
        if prompt.system not in prefixes:
            prefixes[prompt.system] = PromptText.objects.get_or_create(
                sha256=digest(prompt.system), defaults={"text": prompt.system}
            )[0]
        entries.append(
            LedgerEntry(
                judgement_id=item.id,
                attempt=1,
                ordinal=ordinal,
                state=LedgerState.ANSWERED,
                system=prefixes[prompt.system],
                messages=ledger.packed([{"role": "user", "content": prompt.user}]),
                max_tokens=8000 * ordinal,
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
        )
    return entries
