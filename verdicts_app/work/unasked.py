"""Judgements that need no request where no judge is configured: empty answers (R10), and what is
taken from earlier verdicts. They do not wait with the rest of their job."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Coalesce, Left

from judgeweb.judging.conversation import decided_before, judge
from judgeweb.judging.modes import mode_named
from judgeweb.judging.text import is_blank
from judgeweb.judging.types import Outcome, Prompt, Reply, Turn
from verdicts_app.models import Judgement, JudgementState
from verdicts_app.work.claim import Item, case_of, claim_named
from verdicts_app.work.record import Record, Recorder
from verdicts_app.work.request import chunks

BATCH = 200
BEGINNING = 100
"""Characters read of every answer; only those that begin blank are read to their end."""


def without_request(job_id: UUID) -> list[int]:
    """The planned judgements of the job for which nobody has to be asked."""
    planned = Judgement.objects.filter(job_id=job_id, state=JudgementState.PLANNED)
    taken = planned.filter(taken_from__isnull=False).order_by("pk")
    return [*taken.values_list("pk", flat=True), *_empty(planned.filter(taken_from=None))]


def _empty(planned: QuerySet[Judgement]) -> list[int]:
    answers = planned.annotate(answer=Coalesce("response__text", "capture__response_content"))
    likely = _blank(answers.values_list("pk", Left("answer", BEGINNING)))
    return [
        pk
        for pks in chunks(likely, BATCH)
        for pk in _blank(answers.filter(pk__in=pks).values_list("pk", "answer"))
    ]


def _blank(texts: QuerySet[Judgement, tuple[int, str | None]]) -> list[int]:
    return [pk for pk, text in texts.order_by("pk").iterator() if is_blank(text or "")]


def judge_without_request(job_id: UUID) -> None:
    recorder = Recorder()
    for pks in chunks(without_request(job_id), BATCH):
        recorder.write(asyncio.run(_records(claim_named(pks))))


async def _records(items: Sequence[Item]) -> list[Record]:
    return [Record(item, await _outcome(item)) for item in items]


async def _outcome(item: Item) -> Outcome:
    mode = mode_named(item.mode)
    if item.taken is not None:
        return decided_before(mode, case_of(item), item.taken)
    return await judge(mode, case_of(item), _nobody)


async def _nobody(prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
    raise AssertionError("an empty answer is judged without a request")
