"""Writing outcomes: verdicts with their marks and findings, or unjudged with its reason.

Only the worker that still holds the attempt may write. A new verdict supersedes the live one of
its identity and takes the place on the board; both happen in the transaction of the verdict.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime

from django.db import DatabaseError, transaction
from django.utils import timezone

from judgeweb.judging.text import visible
from judgeweb.judging.types import Outcome, Unjudged, UnjudgedReason, Verdict
from verdicts_app.models import Epoch, Judgement, JudgementState
from verdicts_app.work import claim, sql, sums, verdict_rows
from verdicts_app.work.claim import held
from verdicts_app.work.identity import epoch_returned
from verdicts_app.work.items import Item
from verdicts_app.work.verdict_parts import insert_parts
from verdicts_app.work.verdict_rows import NewVerdict

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False, slots=True)
class Record:
    """An outcome to be written. `cost_nano_usd` sums its requests; None: a price is not known.
    `asked` is the judge model of whose reply or refusal it came."""

    item: Item
    outcome: Outcome
    cost_nano_usd: int | None = 0
    asked: str = ""


@dataclass
class Recorder:
    """Remembers epochs by (planned epoch, returned model)."""

    _epochs: dict[tuple[int, str], Epoch] = field(default_factory=dict)

    def write(self, records: Sequence[Record], *, at: datetime | None = None) -> set[int]:
        """Write what is still ours, all or one by one. Return the ids of the judgements written;
        the others were taken over meanwhile: their requests stand in the ledger, no more.
        `at` is when they were judged, where that is not now."""
        try:
            with transaction.atomic():
                return self._write(records, at or timezone.now())
        except (DatabaseError, ValueError):
            if len(records) == 1:
                return _give_up(records[0])
            # One outcome that the database refuses must not take the others with it.
            return set().union(*(self.write([record], at=at) for record in records))

    def _write(self, records: Sequence[Record], now: datetime) -> set[int]:
        still = claim.still_held([record.item for record in records])
        valid = [record for record in records if record.item.id in still]
        new = [
            NewVerdict(r.item, r.outcome, self._epoch(r.item, r.outcome), r.cost_nano_usd)
            for r in valid
            if isinstance(r.outcome, Verdict)
        ]
        with _sums_kept([r.item for r in valid]):
            gone = [(r.item, r.outcome) for r in valid if isinstance(r.outcome, Unjudged)]
            _mark_unjudged(gone, now)
            if new:
                _mark_judged(new, now)
        return still

    def _epoch(self, item: Item, verdict: Verdict) -> Epoch:
        """Without a reply the epoch is the one it was planned in."""
        returned = visible(verdict.replies[-1].model)[0][:200] if verdict.replies else ""
        key = (item.epoch.pk, returned)
        known = self._epochs.get(key)
        if known is None:
            known = epoch_returned(item.epoch, returned)
            # What was made in a transaction that is rolled back must not be remembered.
            transaction.on_commit(lambda: self._epochs.update({key: known}))
        return known


def _sums_kept(items: Sequence[Item]) -> AbstractContextManager[None]:
    return sums.kept_in_step(
        responses=(item.response_id for item in items),
        captures=(item.capture.pk for item in items if item.capture),
    )


def _mark_judged(new: Sequence[NewVerdict], now: datetime) -> None:
    judged = [one.item.id for one in new]
    sql.execute(JUDGED.format(ids=sql.places(len(judged))), [sql.moment(now), *judged])
    _make_room(new, now)
    ids = verdict_rows.insert_verdicts(new, now)
    insert_parts(ids, new)


JUDGED = """
UPDATE verdicts_app_judgement SET state = 'judged', claimed_until = NULL, finished_at = %s
WHERE id IN ({ids})
"""
SUPERSEDE = """
UPDATE verdicts_app_verdict SET superseded_at = %s, on_board = false
WHERE superseded_at IS NULL AND identity IN ({identities})
"""
LEAVE_BOARD = """
UPDATE verdicts_app_verdict SET on_board = false WHERE on_board AND board_key IN ({keys})
"""


def _make_room(new: Sequence[NewVerdict], now: datetime) -> None:
    """Supersede the live verdicts of these identities; clear their places on the boards."""
    places = sql.places(len(new))
    sql.execute(
        SUPERSEDE.format(identities=places),
        [sql.moment(now), *(one.item.identity for one in new)],
    )
    sql.execute(LEAVE_BOARD.format(keys=places), [one.board_key for one in new])
    newest = {one.board_key: one for one in new}
    for one in new:
        one.on_board = (
            newest[one.board_key] is one and one.item.gold_answer is None and not one.is_trial
        )


UNJUDGED = """
UPDATE verdicts_app_judgement
SET state = 'unjudged', unjudged_reason = %s, unjudged_detail = %s, claimed_until = NULL,
    finished_at = %s
WHERE id = %s
"""


def _mark_unjudged(unjudged: Iterable[tuple[Item, Unjudged]], now: datetime) -> None:
    rows = [
        (str(outcome.reason), visible(outcome.detail)[0], sql.moment(now), item.id)
        for item, outcome in unjudged
    ]
    sql.for_each(UNJUDGED, rows)


def _give_up(record: Record) -> set[int]:
    """An outcome that cannot be written is a bug of ours: say so instead of paying again."""
    logger.exception("judgement %s could not be recorded", record.item.id)
    with transaction.atomic(), _sums_kept([record.item]):
        written = Judgement.objects.filter(held([record.item])).update(
            state=JudgementState.UNJUDGED,
            unjudged_reason=UnjudgedReason.INTERNAL_ERROR.value,
            unjudged_detail="The outcome could not be stored; the worker's log says why.",
            claimed_until=None,
            finished_at=timezone.now(),
        )
    return {record.item.id} if written else set()
