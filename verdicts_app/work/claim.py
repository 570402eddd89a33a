"""Taking work, keeping it and giving it back.

A claim raises the attempt and sets a lease. Whoever records must still hold that attempt, so
that of two workers which believe they hold an item one is refused.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, prefetch_related_objects
from django.utils import timezone

from judgeweb.judging.types import CallCase, Case, Contestant
from rubrics_app import selectors
from rubrics_app.models import Revision
from verdicts_app.models import (
    Capture,
    Chain,
    Epoch,
    Job,
    JobState,
    Judgement,
    JudgementState,
    Pair,
)
from verdicts_app.work import sql
from verdicts_app.work.cells import SOLO_ORDERS
from verdicts_app.work.identity import Subject, capture_subject, response_subject

SUSPECT = 2
"""An item that lost this many workers is judged alone, so that it takes no other down with it."""


@dataclass(frozen=True, eq=False, slots=True)
class Item:
    """A claimed judgement with all that judging and recording it needs."""

    id: int
    attempt: int
    job_id: UUID
    mode: str
    repeat: int
    identity: str
    epoch: Epoch
    scenario: Revision | None
    gold: Revision | None
    scenario_id: int | None
    response_id: int | None
    text: str
    answered_at: datetime
    character: str
    run_pk: int
    persona_id: int | None
    spec: str
    subject: Subject
    capture: Capture | None = None
    contract: Revision | None = None
    pair: Pair | None = None
    chain: Chain | None = None


def case_of(item: Item) -> Case | CallCase:
    if item.capture is not None:
        return call_case(item.capture, item.epoch, item.contract)
    return response_case(item)


def response_case(item: Item) -> Case:
    """As `case_of`, for an item that is known to be a response."""
    rubric = item.epoch.rubric_revision
    assert rubric is not None
    assert item.scenario is not None
    return Case(
        rubric=selectors.rubric_document(rubric),
        scenario=selectors.scenario_document(item.scenario),
        contestants=(Contestant(item.spec, item.character, item.text),),
        secret=settings.SECRET_KEY.encode(),
        gold=selectors.gold_document(item.gold) if item.gold else None,
        orders=SOLO_ORDERS,
    )


def call_case(capture: Capture, epoch: Epoch, contract: Revision | None) -> CallCase:
    """The capture as it came, lossless."""
    assert epoch.rubric_revision is not None
    prompt = capture.system_prompt
    return CallCase(
        rubric=selectors.rubric_document(epoch.rubric_revision),
        call_type=capture.call_type,
        system_prompt=prompt.original if prompt else "",
        user_content=capture.original("user_content") or "",
        response_content=capture.original("response_content"),
        parsed_ok=capture.parsed_ok,
        secret=settings.SECRET_KEY.encode(),
        contract=selectors.contract_document(contract) if contract else None,
        undecidable_allowed=json.loads(epoch.parameters).get("undecidable_allowed", False),
    )


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
    return _loaded(ids) if ids else []


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
    return _loaded(ids)


FIELDS = (
    "id",
    "attempt",
    "job_id",
    "mode",
    "repeat",
    "identity",
    "epoch_id",
    "scenario_id",
    "scenario_revision_id",
    "gold_revision_id",
    "contract_revision_id",
    "capture_id",
    "response_id",
    "response__text",
    "response__answered_at",
    "response__character",
    "response__persona__character",
    "response__run_id",
    "response__run__run_id",
    "response__persona_id",
    "response__persona__spec",
    "response__scenario_key",
    "response__identity",
)


REVISIONS = ("scenario_revision_id", "gold_revision_id", "contract_revision_id")


def _loaded(ids: list[int]) -> list[Item]:
    rows = list(Judgement.objects.filter(pk__in=ids).order_by("id").values(*FIELDS))
    found = Pinned(
        epochs=Epoch.objects.select_related("rubric_revision").in_bulk(
            {row["epoch_id"] for row in rows}
        ),
        revisions=Revision.objects.in_bulk(
            {row[name] for row in rows for name in REVISIONS} - {None}
        ),
        captures=_captures({row["capture_id"] for row in rows} - {None}),
    )
    return [
        _item(row, found) if row["capture_id"] is None else _call_item(row, found) for row in rows
    ]


@dataclass(frozen=True)
class Pinned:
    """What claimed judgements point at, by id."""

    epochs: Mapping[int, Epoch]
    revisions: Mapping[int, Revision]
    captures: Mapping[int, Capture]


def _captures(ids: set[int]) -> Mapping[int, Capture]:
    """Many share a system prompt: each is read once."""
    if not ids:
        return {}
    captures = Capture.objects.defer("extras").select_related("run").in_bulk(ids)
    prefetch_related_objects(list(captures.values()), "system_prompt")
    return captures


def _item(row: dict[str, Any], found: Pinned) -> Item:
    return Item(
        id=row["id"],
        attempt=row["attempt"],
        job_id=row["job_id"],
        mode=row["mode"],
        repeat=row["repeat"],
        identity=row["identity"],
        epoch=found.epochs[row["epoch_id"]],
        scenario=found.revisions[row["scenario_revision_id"]],
        gold=found.revisions.get(row["gold_revision_id"]),
        scenario_id=row["scenario_id"],
        response_id=row["response_id"],
        text=row["response__text"],
        answered_at=row["response__answered_at"],
        character=row["response__character"] or row["response__persona__character"],
        run_pk=row["response__run_id"],
        persona_id=row["response__persona_id"],
        spec=row["response__persona__spec"],
        subject=response_subject(
            run_id=row["response__run__run_id"],
            spec=row["response__persona__spec"],
            scenario_key=row["response__scenario_key"],
            identity=row["response__identity"],
        ),
    )


def _call_item(row: dict[str, Any], found: Pinned) -> Item:
    capture = found.captures[row["capture_id"]]
    return Item(
        id=row["id"],
        attempt=row["attempt"],
        job_id=row["job_id"],
        mode=row["mode"],
        repeat=row["repeat"],
        identity=row["identity"],
        epoch=found.epochs[row["epoch_id"]],
        scenario=None,
        gold=None,
        scenario_id=None,
        response_id=None,
        text=capture.response_content or "",
        answered_at=capture.at or capture.uploaded_at,
        character="",
        run_pk=capture.run_id,
        persona_id=None,
        spec="",
        subject=capture_subject(run_id=capture.run.run_id, call_id=capture.call_id),
        capture=capture,
        contract=found.revisions.get(row["contract_revision_id"]),
    )


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
