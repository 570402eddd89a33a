"""Writing outcomes: verdicts with their marks and findings, or unjudged with its reason.

Only the worker that still holds the attempt may write. A new verdict supersedes the live one of
its identity and takes the place on the board; both happen in the transaction of the verdict.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from judgeweb.judging.text import visible
from judgeweb.judging.types import Outcome, Unjudged, UnjudgedReason, Verdict
from verdicts_app import models
from verdicts_app.models import Epoch, Judgement, JudgementState
from verdicts_app.work import verdict_rows
from verdicts_app.work.claim import Item, held
from verdicts_app.work.identity import epoch_returned

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False, slots=True)
class Record:
    """An outcome to be written. `cost_nano_usd` sums its requests; None: a price is not known."""

    item: Item
    outcome: Outcome
    cost_nano_usd: int | None = 0


@dataclass
class Recorder:
    """Remembers epochs by (planned epoch, returned model)."""

    _epochs: dict[tuple[int, str], Epoch] = field(default_factory=dict)

    def write(self, records: Sequence[Record]) -> set[int]:
        """Write what is still ours, all or one by one. Return the ids of the judgements written;
        the others were taken over meanwhile: their requests stand in the ledger, no more."""
        try:
            with transaction.atomic():
                return self._write(records)
        except (DatabaseError, ValueError):
            if len(records) == 1:
                return _give_up(records[0])
            # One outcome that the database refuses must not take the others with it.
            return set().union(*(self.write([record]) for record in records))

    def _write(self, records: Sequence[Record]) -> set[int]:
        ours = held([record.item for record in records])
        rows = Judgement.objects.select_for_update().filter(ours)
        still = set(rows.values_list("pk", flat=True))
        valid = [record for record in records if record.item.id in still]
        _mark_unjudged([(r.item, r.outcome) for r in valid if isinstance(r.outcome, Unjudged)])
        judged = [(r, r.outcome) for r in valid if isinstance(r.outcome, Verdict)]
        if judged:
            self._mark_judged(judged)
        return still

    def _mark_judged(self, judged: Sequence[tuple[Record, Verdict]]) -> None:
        now = timezone.now()
        Judgement.objects.filter(pk__in=[record.item.id for record, _ in judged]).update(
            state=JudgementState.JUDGED, claimed_until=None, finished_at=now
        )
        rows = [
            verdict_rows.verdict_row(
                record.item,
                verdict,
                epoch=self._epoch(record.item, verdict),
                cost_nano_usd=record.cost_nano_usd,
                judged_at=now,
            )
            for record, verdict in judged
        ]
        _make_room(rows)
        models.Verdict.objects.bulk_create(rows)
        verdicts = [(row.pk, verdict) for row, (_, verdict) in zip(rows, judged, strict=True)]
        verdict_rows.insert_marks(verdicts)
        verdict_rows.insert_findings(verdicts)

    def _epoch(self, item: Item, verdict: Verdict) -> Epoch:
        """Without a reply the epoch is the one it was planned in."""
        replies = verdict.replies
        returned = visible(replies[-1].model)[0][:200] if replies else ""
        key = (item.epoch.pk, returned)
        if key not in self._epochs:
            self._epochs[key] = epoch_returned(item.epoch, returned)
        return self._epochs[key]


def _make_room(rows: Sequence[models.Verdict]) -> None:
    """Supersede the live verdicts of these identities; clear their places on the boards."""
    live = models.Verdict.objects.filter(superseded_at=None)
    live.filter(identity__in=[row.identity for row in rows]).update(
        superseded_at=rows[0].judged_at, on_board=False
    )
    models.Verdict.objects.filter(
        board_key__in=[row.board_key for row in rows], on_board=True
    ).update(on_board=False)
    newest = {row.board_key: row for row in rows}
    for row in rows:
        row.on_board = newest[row.board_key] is row


UNJUDGED = """
UPDATE verdicts_app_judgement
SET state = 'unjudged', unjudged_reason = %s, unjudged_detail = %s, claimed_until = NULL,
    finished_at = %s
WHERE id = %s
"""


def _mark_unjudged(unjudged: Iterable[tuple[Item, Unjudged]]) -> None:
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    rows = [
        (outcome.reason.value, visible(outcome.detail)[0], now, item.id)
        for item, outcome in unjudged
    ]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(UNJUDGED, rows)


def _give_up(record: Record) -> set[int]:
    """An outcome that cannot be written is a bug of ours: say so instead of paying again."""
    logger.exception("judgement %s could not be recorded", record.item.id)
    written = Judgement.objects.filter(held([record.item])).update(
        state=JudgementState.UNJUDGED,
        unjudged_reason=UnjudgedReason.INTERNAL_ERROR.value,
        unjudged_detail="The outcome could not be stored; the worker's log says why.",
        claimed_until=None,
        finished_at=timezone.now(),
    )
    return {record.item.id} if written else set()
