"""Planning: from a request to judge to a job with its judgements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from judgeweb.access import audit
from judgeweb.judging.errors import CaseRefused
from verdicts_app.models import Epoch, Job, JobEvent, JobState, Judgement, JudgementState
from verdicts_app.work import sql
from verdicts_app.work.budget import NANO
from verdicts_app.work.identity import epoch_to_plan
from verdicts_app.work.judge_config import NOT_CONFIGURED, is_configured
from verdicts_app.work.price import Price, price, price_of
from verdicts_app.work.request import JudgeRequest, Refusal, Unlinked, chunks
from verdicts_app.work.selection import Selection, Unit, select_work
from verdicts_app.work.together import chain_ids, pair_ids
from verdicts_app.work.unasked import unasked

__all__ = [
    "JudgeRequest",
    "PlannedJob",
    "Price",
    "Refusal",
    "Unlinked",
    "plan_job",
    "plan_judgements",
    "price",
]

EVENTS_SHOWN = 20


@dataclass(frozen=True)
class PlannedJob:
    """`planned` judgements wait in `job`. `refused` names, per scenario, the field that is
    missing or wrong; none of these costs a request."""

    job: Job
    planned: int
    already_judged: int
    already_planned: int
    failed_runs: int
    unlinked: tuple[Unlinked, ...]
    refused: tuple[Refusal, ...]


def plan_job(*, request: JudgeRequest, user: AbstractBaseUser | None, actor: str) -> PlannedJob:
    """Raise CaseRefused where the request itself cannot be used, naming its field. The entry
    point wakes the workers after the commit."""
    return plan_selected(select_work(request), request=request, user=user, actor=actor)


def plan_selected(
    selection: Selection, *, request: JudgeRequest, user: AbstractBaseUser | None, actor: str
) -> PlannedJob:
    """As `plan_job`, where the work was selected before."""
    budget = None if selection.is_computed else budget_nano_usd(request.budget_usd)
    estimate = price_of(selection).estimate_nano_usd
    with transaction.atomic():
        job = Job.objects.create(
            run=selection.run,
            budget_nano_usd=budget,
            estimate_nano_usd=estimate,
            created_by=user,  # type: ignore[misc]
        )
        planned = plan_judgements(job, selection)
        # Another planner may have been faster with some of them.
        selection.already_planned += len(selection.units) - planned
        _say_what_was_planned(job, selection, planned)
        _first_state(job, planned)
        audit.record(actor=actor, action="plan job", target=str(job.pk), detail=_words(request))
    return PlannedJob(
        job=job,
        planned=planned,
        already_judged=selection.already_judged,
        already_planned=selection.already_planned,
        failed_runs=selection.failed_runs,
        unlinked=tuple(selection.unlinked),
        refused=tuple(selection.refused),
    )


def budget_nano_usd(budget_usd: Decimal | None) -> int:
    """The default budget where none is given. Raise CaseRefused for a default that is none."""
    if budget_usd is None:
        try:
            budget_usd = Decimal(settings.JUDGE_DEFAULT_BUDGET_USD)
        except ArithmeticError:
            raise CaseRefused("budget_usd", "JUDGE_DEFAULT_BUDGET_USD is no number") from None
    return int(budget_usd * NANO)


JUDGEMENT_COLUMNS = (
    "job_id",
    "mode",
    "response_id",
    "capture_id",
    "pair_id",
    "chain_id",
    "gold_answer_id",
    "linked_id",
    "call_type",
    "scenario_id",
    "scenario_revision_id",
    "gold_revision_id",
    "contract_revision_id",
    "taken_from_id",
    "epoch_id",
    "repeat",
    "identity",
    "seed",
    "state",
    "attempt",
    "lost",
    "unjudged_reason",
    "unjudged_detail",
)


def plan_judgements(job: Job, selection: Selection) -> int:
    """Those that another planner has open are left out by the database."""
    epochs: dict[str, Epoch] = {}
    for units in chunks(selection.units):
        for unit in units:
            if unit.cell.base_digest not in epochs:
                epochs[unit.cell.base_digest] = epoch_to_plan(unit.cell.pins)
        subjects = _subjects(units)
        rows = [
            _judgement_row(job, unit, subject, epochs[unit.cell.base_digest])
            for unit, subject in zip(units, subjects, strict=True)
        ]
        sql.insert_new(Judgement, JUDGEMENT_COLUMNS, rows)
    return job.judgements.count()


def _subjects(units: Sequence[Unit]) -> list[tuple[int | None, ...]]:
    """What each is about, in the order of its columns; pairs and relays are made where they are
    new."""
    pairs = pair_ids(unit.pair for unit in units if unit.pair)
    chains = chain_ids(unit.chain for unit in units if unit.chain)
    return [
        (
            unit.response_id,
            unit.capture_id,
            pairs[unit.pair] if unit.pair else None,
            chains[unit.chain] if unit.chain else None,
            unit.gold_id,
            unit.linked_id,
        )
        for unit in units
    ]


def _judgement_row(
    job: Job, unit: Unit, subject: tuple[int | None, ...], epoch: Epoch
) -> tuple[Any, ...]:
    """In the order of JUDGEMENT_COLUMNS."""
    return (
        sql.key(job.pk),
        unit.cell.mode.name,
        *subject,
        unit.call_type,
        *unit.cell.pinned,
        unit.taken_from,
        epoch.pk,
        unit.repeat,
        unit.identity,
        unit.seed,
        JudgementState.PLANNED.value,
        *(0, 0),
        *("", ""),
    )


def _first_state(job: Job, planned: int) -> None:
    if not planned:
        job.state, job.finished_at = JobState.DONE, timezone.now()
    elif not is_configured() and not unasked(job.pk):
        job.state, job.state_detail, job.retry_at = (
            JobState.WAITING,
            NOT_CONFIGURED,
            timezone.now(),
        )
    else:
        return
    job.save(update_fields=["state", "state_detail", "retry_at", "finished_at"])


def _say_what_was_planned(job: Job, selection: Selection, planned: int) -> None:
    texts = [_summary(selection, planned)]
    texts += [
        f"Refused {refusal.responses} of {refusal.scenario}: {refusal.field}: {refusal.message}"
        for refusal in selection.refused[:EVENTS_SHOWN]
    ]
    texts += [
        f"Left out {unlinked.responses} of the unknown scenario {unlinked.scenario}"
        for unlinked in selection.unlinked[:EVENTS_SHOWN]
    ]
    more = len(selection.refused) + len(selection.unlinked) + 1 - len(texts)
    if more > 0:
        texts.append(f"and {more} more scenarios refused or unknown")
    JobEvent.objects.bulk_create(JobEvent(job=job, text=text[:500]) for text in texts)


def _summary(selection: Selection, planned: int) -> str:
    counts = {
        "already judged": selection.already_judged,
        "already being judged": selection.already_planned,
        "failed runs left out": selection.failed_runs,
        "with the judge's part taken from earlier verdicts": selection.taken,
    }
    said = [f"{number} {words}" for words, number in counts.items() if number]
    extractors = selection.extractors
    claims = [f"claims extracted once by {extractors}"] if extractors else []
    return "; ".join([f"Planned {planned} judgements by {selection.models}", *claims, *said])


def _words(request: JudgeRequest) -> str:
    if request.run_id is not None:
        subject = f"run {request.run_id}"
    elif request.capture_ids is not None:
        subject = f"{len(request.capture_ids)} captures"
    elif request.pairs is not None:
        subject = f"{len(request.pairs)} pairs"
    elif request.relays is not None:
        subject = f"{len(request.relays)} relays"
    elif request.golds is not None:
        subject = f"{len(request.golds)} gold standards"
    else:
        subject = f"{len(request.response_ids or ())} responses"
    if request.call_type is not None:
        subject += f", calls of type {request.call_type}"
    chosen = {
        ", judged again": request.rejudge,
        ", by claims": request.claims,
        ", shuffled": request.shuffle,
    }
    ways = "".join(words for words, is_so in chosen.items() if is_so)
    return f"{subject}, {request.repeats} repeats, budget {request.budget_usd} USD{ways}"
