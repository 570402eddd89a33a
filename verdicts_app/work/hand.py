"""A job in the hands of one drain: its judge, whether it may start, whether it still runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import TypeGuard
from uuid import UUID

from django.db.models import QuerySet

from judgeweb.judging.errors import JudgeFault
from judgeweb.judging.types import Outcome, Unjudged, UnjudgedReason
from verdicts_app.models import Epoch, Job, Judgement, JudgementState
from verdicts_app.work.instrument import extractor_of
from verdicts_app.work.judge_config import JudgeChoice
from verdicts_app.work.record import Record
from verdicts_app.work.unasked import first_to_ask

SAME_FAULTS = 3
"""The same refusal of a job's first items, none of which got a reply, is the judge's fault."""


@dataclass(eq=False)
class JobInHand:
    """`probe_with` names, for every judge that has to be asked, the judgement under which its probe
    is written down; empty once probed and where nobody needs to be asked.
    `proven`: the judge models of whose replies at least one was taken in this job."""

    id: UUID
    probe_with: Mapping[JudgeChoice, int]
    proven: set[str]
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
        where the first items of a judge were all refused for the same reason."""
        if record.asked in self.proven or not is_refusal(record.outcome):
            return False
        self.refused.append(record)
        alike = sum(kept.outcome == record.outcome for kept in self._refused_by(record.asked))
        if alike >= SAME_FAULTS:
            raise JudgeFault(
                f"the first {alike} requests were all refused: {record.outcome.detail}", status=400
            )
        return True

    def let_go(self) -> list[Record]:
        """What was held back, which is now known to be decided (or to be given back)."""
        refused, self.refused = self.refused, []
        return refused

    def let_go_of(self, model: str) -> list[Record]:
        """As `let_go`, of one judge."""
        refused = self._refused_by(model)
        self.refused = [record for record in self.refused if record not in refused]
        return refused

    def _refused_by(self, model: str) -> list[Record]:
        return [one for one in self.refused if one.asked == model]


def is_refusal(outcome: Outcome) -> TypeGuard[Unjudged]:
    return isinstance(outcome, Unjudged) and outcome.reason is UnjudgedReason.BAD_REQUEST


def judge_of(epoch: Epoch) -> JudgeChoice:
    return _judge(epoch.requested_model, epoch.parameters)


@lru_cache(maxsize=64)
def _judge(model: str, parameters_json: str) -> JudgeChoice:
    parameters = json.loads(parameters_json)
    return JudgeChoice(
        model=model,
        effort=parameters.get("effort", ""),
        output_mode=parameters.get("output_mode", ""),
    )


def take_in_hand(job_ids: Sequence[UUID]) -> list[JobInHand | None]:
    """None where a job has no planned judgement any more."""
    return [_in_hand(job_id) for job_id in job_ids]


def _in_hand(job_id: UUID) -> JobInHand | None:
    judgements = Judgement.objects.filter(job_id=job_id)
    planned = judgements.filter(state=JudgementState.PLANNED).order_by("id")
    probed_at = Job.objects.values_list("probed_at", flat=True).get(pk=job_id)
    epochs = Epoch.objects.in_bulk(planned.order_by().values_list("epoch", flat=True).distinct())
    if not epochs:
        return None
    judged = judgements.filter(state=JudgementState.JUDGED)
    return JobInHand(
        id=job_id,
        probe_with=_probes(planned, epochs.values()) if probed_at is None else {},
        proven={
            model
            for model in {epoch.requested_model for epoch in epochs.values()}
            if judged.filter(epoch__requested_model=model).exists()
        },
    )


def _probes(planned: QuerySet[Judgement], epochs: Iterable[Epoch]) -> dict[JudgeChoice, int]:
    """For each judge the first judgement about which it has to be asked, if there is one."""
    by_judge: dict[JudgeChoice, list[int]] = {}
    for epoch in epochs:
        if not epoch.requested_model:
            continue
        asked = {judge_of(epoch), extractor_of(epoch) or judge_of(epoch)}
        for judge in sorted(asked, key=attrgetter("model")):
            by_judge.setdefault(judge, []).append(epoch.pk)
    first = {
        judge: first_to_ask(planned.filter(epoch__in=epoch_ids))
        for judge, epoch_ids in by_judge.items()
    }
    return {judge: pk for judge, pk in first.items() if pk is not None}


def states_of(job_ids: Sequence[UUID]) -> dict[UUID, str]:
    return dict(Job.objects.filter(pk__in=job_ids).values_list("pk", "state"))
