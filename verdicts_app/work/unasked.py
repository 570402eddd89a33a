"""What is judged without asking anybody, so that it does not wait for a judge with the rest of its
job: empty answers, whose total of 0 needs no request (R10), modes that need no model, and what is
taken from earlier verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce, Left

from judgeweb.judging.conversation import decided_before, judge
from judgeweb.judging.modes import mode_named
from judgeweb.judging.text import is_blank
from judgeweb.judging.types import Outcome, Prompt, Reply, Turn
from verdicts_app.models import Judgement, JudgementState
from verdicts_app.work.claim import claim_named
from verdicts_app.work.items import Item, case_of
from verdicts_app.work.record import Record, Recorder
from verdicts_app.work.request import chunks

BATCH = 200
BEGINNING = 100
"""Characters read of every answer; only those that begin blank are read to their end."""
PAIR = ("pair__first__text", "pair__second__text")

Judgements = QuerySet[Judgement]


def unasked(job_id: UUID) -> list[int]:
    """The planned judgements of the job about which nobody has to be asked."""
    planned = Judgement.objects.filter(job_id=job_id, state=JudgementState.PLANNED)
    known = Q(epoch__requested_model="") | Q(taken_from__isnull=False)
    computed = planned.filter(known).values_list("pk", flat=True)
    asked = planned.exclude(known)
    return sorted({*computed, *_empty_answers(asked), *_empty_pairs(asked)})


def first_to_ask(planned: Judgements) -> int | None:
    """None where nobody has to be asked about any of them."""
    asked = planned.exclude(epoch__requested_model="").filter(taken_from=None)
    never_empty = Coalesce("chain_id", "gold_answer_id")
    answers = ("response__text", "capture__response_content", *PAIR)
    texts = asked.values_list("pk", never_empty, *answers)
    for pk, is_full, *said in texts.iterator(chunk_size=10):
        if is_full is not None or not all(is_blank(text or "") for text in said):
            return pk
    return None


def _empty_answers(planned: Judgements) -> list[int]:
    single = planned.filter(pair=None, chain=None, gold_answer=None)
    answers = single.annotate(answer=Coalesce("response__text", "capture__response_content"))
    likely = _blank(answers.values_list("pk", Left("answer", BEGINNING)))
    return [
        pk
        for pks in chunks(likely, BATCH)
        for pk in _blank(answers.filter(pk__in=pks).values_list("pk", "answer"))
    ]


def _empty_pairs(planned: Judgements) -> list[int]:
    """Pairs of which neither has answered."""
    texts = planned.filter(pair__isnull=False).values_list("pk", *PAIR)
    return [pk for pk, first, second in texts.iterator() if is_blank(first) and is_blank(second)]


def _blank(texts: QuerySet[Judgement, tuple[int, str | None]]) -> list[int]:
    return [pk for pk, text in texts.order_by("pk").iterator() if is_blank(text or "")]


def judge_unasked(job_id: UUID, *, goes_on: Callable[[], bool] = lambda: True) -> None:
    """Judge them until `goes_on` says no."""
    recorder = Recorder()
    for pks in chunks(unasked(job_id), BATCH):
        if not goes_on():
            return
        recorder.write(asyncio.run(_records(claim_named(pks))))


async def _records(items: Sequence[Item]) -> list[Record]:
    return [Record(item, await _outcome(item)) for item in items]


async def _outcome(item: Item) -> Outcome:
    mode = mode_named(item.mode)
    if item.taken is not None:
        return decided_before(mode, case_of(item), item.taken)
    return await judge(mode, case_of(item), nobody)


async def nobody(prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
    """In the place of a judge, where none is asked."""
    raise AssertionError("this is judged without a request")
