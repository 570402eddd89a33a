"""A job in the hands of one drain: its judge, whether it may start, whether it still runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeGuard
from uuid import UUID

from django.db.models import QuerySet

from judgeweb.judging.errors import JudgeFault
from judgeweb.judging.text import is_blank
from judgeweb.judging.types import Outcome, Unjudged, UnjudgedReason
from verdicts_app.models import Epoch, Job, Judgement, JudgementState
from verdicts_app.work.judge_config import JudgeChoice
from verdicts_app.work.record import Record

SAME_FAULTS = 3
"""The same refusal of a job's first items, none of which got a reply, is the judge's fault."""


@dataclass(eq=False)
class JobInHand:
    """`probe_with` is the judgement under which the probe is written down; None once probed and
    where nobody needs to be asked.
    `proven`: a reply of this job was taken at least once."""

    id: UUID
    judge: JudgeChoice
    probe_with: int | None
    proven: bool
    runs: bool = True
    on_the_way: int = 0
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    refused: list[Record] = field(default_factory=list)

    def sent(self) -> None:
        self.on_the_way += 1

    def came(self) -> None:
        self.on_the_way -= 1
        self.settled.set()

    def hold_back(self, record: Record) -> bool:
        """True where a refusal is kept until it is known whose fault it is. Raise JudgeFault
        where the job's first items were all refused for the same reason."""
        if self.proven or not is_refusal(record.outcome):
            return False
        self.refused.append(record)
        alike = sum(kept.outcome == record.outcome for kept in self.refused)
        if alike >= SAME_FAULTS:
            raise JudgeFault(
                f"the first {alike} requests were all refused: {record.outcome.detail}", status=400
            )
        return True

    def let_go(self) -> list[Record]:
        """What was held back, which is now known to be decided (or to be given back)."""
        refused, self.refused = self.refused, []
        return refused


def is_refusal(outcome: Outcome) -> TypeGuard[Unjudged]:
    return isinstance(outcome, Unjudged) and outcome.reason is UnjudgedReason.BAD_REQUEST


def judge_of(epoch: Epoch) -> JudgeChoice:
    parameters = json.loads(epoch.parameters)
    return JudgeChoice(
        model=epoch.requested_model,
        effort=parameters.get("effort", ""),
        output_mode=parameters.get("output_mode", ""),
    )


def take_in_hand(job_ids: Sequence[UUID]) -> list[JobInHand | None]:
    """None where a job has no planned judgement any more."""
    return [_in_hand(job_id) for job_id in job_ids]


def _in_hand(job_id: UUID) -> JobInHand | None:
    judgements = Judgement.objects.filter(job_id=job_id)
    planned = judgements.filter(state=JudgementState.PLANNED).order_by("id")
    first = planned.select_related("epoch", "job").first()
    if first is None:
        return None
    return JobInHand(
        id=job_id,
        judge=judge_of(first.epoch),
        probe_with=_first_to_ask(planned) if first.job.probed_at is None else None,
        proven=judgements.filter(state=JudgementState.JUDGED).exists(),
    )


def _first_to_ask(planned: QuerySet[Judgement]) -> int | None:
    """None where nobody is asked: answers are empty (R10), or decided by earlier verdicts."""
    texts = planned.filter(taken_from=None).values_list(
        "pk", "response__text", "capture__response_content"
    )
    said = ((pk, answer or reply or "") for pk, answer, reply in texts.iterator(chunk_size=10))
    return next((pk for pk, text in said if not is_blank(text)), None)


def states_of(job_ids: Sequence[UUID]) -> dict[UUID, str]:
    return dict(Job.objects.filter(pk__in=job_ids).values_list("pk", "state"))
