"""Extractions as rows: taken by one judgement at a time, finished once, read by all.

An extraction in work has no lease of its own. It belongs to a claimed judgement, so that the lease
of that one is enough: where it is given back, ends or runs out, the extraction is free again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from django.conf import settings
from django.utils import timezone

from judgeweb.judging.claims import PROMPT_VERSION
from judgeweb.judging.conversation import Answered
from judgeweb.judging.text import visible
from judgeweb.judging.types import (
    Claim,
    ClaimList,
    Unjudged,
    UnjudgedReason,
)
from verdicts_app.models import Extraction, ExtractionState, Judgement
from verdicts_app.work import ledger, sql
from verdicts_app.work.instrument import extraction_key, text_digest
from verdicts_app.work.judge_config import JudgeChoice


class Holder(Enum):
    """Who extracts, where nobody has yet."""

    OURS = "ours"
    ANOTHER = "another"


@dataclass(frozen=True)
class Wanted:
    """The claims of a text, wanted for a claimed judgement. `label` is that of the prompt."""

    judgement_id: int
    attempt: int
    text: str
    extractor: JudgeChoice
    label: str

    @property
    def key(self) -> str:
        return extraction_key(text_digest(self.text), self.extractor)


Found = ClaimList | Unjudged | Holder


def look_up(wanted: Sequence[Wanted]) -> list[Found]:
    """The claims, why they could not be read, or who extracts them: from here on the judgement
    that asks, where no other one does."""
    found: dict[int, Found] = {}
    # All workers lock rows in one order.
    for place in sorted(range(len(wanted)), key=lambda place: wanted[place].key):
        found[place] = _look_up(wanted[place])
    return [found[place] for place in range(len(wanted))]


COLUMNS = (
    "key",
    "text_sha256",
    "prompt_version",
    "model",
    "effort",
    "output_mode",
    "is_stand_in",
    "state",
    "judgement_id",
    "attempt",
    "prompt",
    "started_at",
    *("returned_model", "claims", "reason", "detail"),
)


def _look_up(want: Wanted) -> Found:
    row = Extraction.objects.filter(key=want.key).first()
    if row is None:
        return _begun(want)
    if row.state == ExtractionState.EXTRACTED:
        return row.claim_list
    if row.state == ExtractionState.FAILED and _holds_for(row, want):
        detail = f"{row.detail} (asked under judgement {row.judgement_id})"
        return Unjudged(UnjudgedReason(row.reason), detail)
    taken = sql.execute(TAKE_OVER, [want.judgement_id, want.attempt, want.label, _now(), row.pk])
    return Holder.OURS if taken else Holder.ANOTHER


def _begun(want: Wanted) -> Holder:
    """Of two workers at once one makes the row."""
    judge = want.extractor
    values = (
        want.key,
        text_digest(want.text),
        PROMPT_VERSION,
        *(judge.model, judge.effort, judge.output_mode),
        settings.JUDGE_IS_STAND_IN,
        ExtractionState.EXTRACTING.value,
        *(want.judgement_id, want.attempt, want.label, _now()),
        *("", "", "", ""),
    )
    made = sql.insert_once(Extraction, COLUMNS, values)
    return Holder.OURS if made else Holder.ANOTHER


def _holds_for(row: Extraction, want: Wanted) -> bool:
    """A failure decides all judgements that were planned before it: they would ask the very same.
    One that is tried again asks anew. A refused request decides its own judgement alone, since it
    may be the judge's fault."""
    if row.reason == UnjudgedReason.BAD_REQUEST.value:
        return False
    planned = Judgement.objects.filter(pk=want.judgement_id, planned_at__lte=row.finished_at)
    return planned.exists()


TAKE_OVER = """
UPDATE verdicts_app_extraction
SET state = 'extracting', judgement_id = %s, attempt = %s, prompt = %s, started_at = %s,
    finished_at = NULL, reason = '', detail = ''
WHERE id = %s AND (
    state = 'failed' OR state = 'extracting' AND NOT EXISTS (
        SELECT 1 FROM verdicts_app_judgement judgement
        WHERE judgement.id = verdicts_app_extraction.judgement_id
            AND judgement.attempt = verdicts_app_extraction.attempt
            AND judgement.state = 'claimed'
    )
)
"""


@dataclass(frozen=True)
class Finished:
    """What came of an extraction that was ours."""

    wanted: Wanted
    came: Answered[tuple[Claim, ...]] | Unjudged


def finish(all_finished: Sequence[Finished]) -> list[bool]:
    """Store what came. False where the extraction was taken over meanwhile: what that one brings
    is what counts."""
    return [_finish(one) for one in all_finished]


def _finish(finished: Finished) -> bool:
    want, came = finished.wanted, finished.came
    ours = Extraction.objects.filter(
        key=want.key,
        state=ExtractionState.EXTRACTING,
        judgement=want.judgement_id,
        attempt=want.attempt,
    )
    if isinstance(came, Unjudged):
        values: dict[str, Any] = {
            "state": ExtractionState.FAILED,
            "reason": came.reason.value,
            "detail": visible(came.detail)[0],
        }
    else:
        last = came.replies[-1]
        values = {
            "state": ExtractionState.EXTRACTED,
            "claims": _as_json(came),
            "reply": ledger.packed(ledger.lossless(last)),
            "returned_model": visible(last.model)[0][:200],
        }
    return bool(ours.update(finished_at=timezone.now(), **values))


def _as_json(came: Answered[tuple[Claim, ...]]) -> str:
    claims = [
        {
            "number": claim.number,
            "text": claim.text,
            "quote": claim.quote,
            "state": claim.evidence_state.value,
            "at": claim.evidence_at,
        }
        for claim in came.reading
    ]
    return json.dumps({"claims": claims, "flags": list(came.flags)}, separators=(",", ":"))


def _now() -> Any:
    return sql.moment(timezone.now())
