"""Taking work, keeping it and giving it back.

A claim raises the attempt and sets a lease. Whoever records must still hold that attempt, so
that of two workers which believe they hold an item one is refused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from verdicts_app.models import Job, JobState, Judgement, JudgementState
from verdicts_app.work import sql
from verdicts_app.work.items import Item, loaded

SUSPECT = 2
"""An item that lost this many workers is judged alone, so that it takes no other down with it."""


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.JUDGE_LEASE_S)


def jobs_with_work(only: UUID | None = None) -> list[UUID]:
    """Running jobs with planned judgements, oldest first."""
    jobs = Job.objects.filter(state=JobState.RUNNING)
    if only is not None:
        jobs = jobs.filter(pk=only)
    planned = Judgement.objects.filter(job=OuterRef("pk"), state=JudgementState.PLANNED)
    return list(jobs.filter(Exists(planned)).order_by("created_at").values_list("pk", flat=True))


# Materialised: as a mere subquery PostgreSQL may run it once per row, and then it takes more than
# its limit.
CLAIM = """
WITH next AS MATERIALIZED (
    SELECT judgement.id FROM verdicts_app_judgement judgement
    JOIN verdicts_app_job job ON job.id = judgement.job_id
    WHERE judgement.job_id = %s AND judgement.state = 'planned' AND job.state = 'running'
        AND judgement.lost {suspect} %s
    ORDER BY judgement.id LIMIT %s {lock}
)
UPDATE verdicts_app_judgement
SET state = 'claimed', attempt = attempt + 1, claimed_until = %s
WHERE id IN (SELECT id FROM next)
RETURNING id
"""


def claim_items(*, job_id: UUID, limit: int, suspects: bool = False) -> list[Item]:
    """Take up to `limit` planned judgements of a running job, in one statement."""
    locking = connection.features.has_select_for_update_skip_locked
    statement = CLAIM.format(
        suspect=">=" if suspects else "<",
        lock="FOR UPDATE OF judgement SKIP LOCKED" if locking else "",
    )
    rows = sql.rows_of(statement, [sql.key(job_id), SUSPECT, limit, sql.moment(lease_end())])
    ids = [row[0] for row in rows]
    return loaded(ids) if ids else []


@transaction.atomic
def claim_named(judgement_ids: Sequence[int]) -> list[Item]:
    """Take those of the named judgements that are planned still, in a running job."""
    named = Judgement.objects.filter(pk__in=judgement_ids)
    planned = named.filter(state=JudgementState.PLANNED, job__state=JobState.RUNNING)
    if connection.features.has_select_for_update_skip_locked:
        planned = planned.select_for_update(skip_locked=True, of=("self",))
    ids = list(planned.values_list("pk", flat=True))
    named.filter(pk__in=ids).update(
        state=JudgementState.CLAIMED, attempt=F("attempt") + 1, claimed_until=lease_end()
    )
    return loaded(ids)


def held(items: Iterable[Item]) -> Q:
    """Rows that are still ours: claimed under the attempt that we hold."""
    by_attempt: dict[int, list[int]] = defaultdict(list)
    for item in items:
        by_attempt[item.attempt].append(item.id)
    ours = Q(pk__in=[])
    for attempt, ids in by_attempt.items():
        ours |= Q(attempt=attempt, pk__in=ids)
    return ours & Q(state=JudgementState.CLAIMED)


STILL_HELD = """
SELECT id, attempt FROM verdicts_app_judgement WHERE state = 'claimed' AND id IN ({ids}) {lock}
"""


def still_held(items: Sequence[Item]) -> set[int]:
    """The ids of those that are still ours; where rows can be locked they are."""
    lock = "FOR UPDATE" if connection.features.has_select_for_update else ""
    statement = STILL_HELD.format(ids=sql.places(len(items)), lock=lock)
    attempts = dict(sql.rows_of(statement, [item.id for item in items]))
    return {item.id for item in items if attempts.get(item.id) == item.attempt}


def renew(items: Iterable[Item]) -> int:
    return Judgement.objects.filter(held(items)).update(claimed_until=lease_end())


def release(items: Iterable[Item]) -> int:
    """Give items back, to be planned again; those of a cancelled job are cancelled."""
    ours = Judgement.objects.filter(held(items))
    cancelled = ours.filter(job__in=Job.objects.filter(state=JobState.CANCELLED)).update(
        state=JudgementState.CANCELLED, claimed_until=None, finished_at=timezone.now()
    )
    return cancelled + ours.update(state=JudgementState.PLANNED, claimed_until=None)
