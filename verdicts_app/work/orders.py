"""What the loop may order from the writer: each kind carries out all its orders of a batch.

Kinds that belong to a ledger or a recorder are methods of theirs; these need no memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from uuid import UUID

from django.utils import timezone

from judgeweb.judging.errors import JudgeFault
from verdicts_app.models import Job
from verdicts_app.work import claim, states
from verdicts_app.work.claim import claim_items, jobs_with_work
from verdicts_app.work.hand import states_of
from verdicts_app.work.items import Item
from verdicts_app.work.sweep import sweep


@dataclass(frozen=True)
class Take:
    """Claim up to `limit` items of the jobs in `in_hand`; `only` one job, or all (None)."""

    only: UUID | None
    in_hand: frozenset[UUID]
    limit: int
    suspects: bool


@dataclass(frozen=True)
class Taken:
    items: list[Item]
    unseen: list[UUID]


def take(wanted: Sequence[Take]) -> list[Taken]:
    return [_take(want) for want in wanted]


def _take(want: Take) -> Taken:
    """Every job gets its share, whatever is planned before it."""
    jobs = jobs_with_work(want.only)
    in_hand = [job_id for job_id in jobs if job_id in want.in_hand]
    items: list[Item] = []
    for position, job_id in enumerate(in_hand):
        share = ceil((want.limit - len(items)) / (len(in_hand) - position))
        if share > 0:
            items += claim_items(job_id=job_id, limit=share, suspects=want.suspects)
    return Taken(items, [job_id for job_id in jobs if job_id not in want.in_hand])


def release(items: Sequence[Item]) -> list[None]:
    claim.release(items)
    return [None] * len(items)


def look_at(job_ids: Sequence[Sequence[UUID]]) -> list[dict[UUID, str]]:
    """The states of jobs, after those with nothing left were marked as done."""
    answers = []
    for ids in job_ids:
        states.finish(ids)
        answers.append(states_of(ids))
    return answers


def finish(job_ids: Sequence[Sequence[UUID]]) -> list[None]:
    for ids in job_ids:
        states.finish(ids)
    return [None] * len(job_ids)


def sweep_up(asked: Sequence[None]) -> list[None]:
    """A worker that drains for long has no hand free for the sweeper's own task."""
    sweep()
    return [None] * len(asked)


def probed(job_ids: Sequence[UUID]) -> list[None]:
    Job.objects.filter(pk__in=job_ids).update(probed_at=timezone.now())
    return [None] * len(job_ids)


def wait_for_judge(faults: Sequence[tuple[UUID, JudgeFault]]) -> list[None]:
    for job_id, fault in faults:
        states.wait_for_judge(job_id, fault)
    return [None] * len(faults)


def park(job_ids: Sequence[UUID]) -> list[None]:
    for job_id in job_ids:
        states.park(job_id, states.why_parked(job_id))
    return [None] * len(job_ids)
