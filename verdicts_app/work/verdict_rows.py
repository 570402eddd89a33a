"""A verdict as rows: the verdict itself, its marks, its findings.

`Verdict.detail` is JSON text, fractions as "p/q" or whole numbers, undefined values null:

{"parts": {name: fraction}, "total_without_persona": fraction,
 "working": [{"name", "expression", "value", "note"}],
 "stated": [{"name", "stated", "computed", "differs"}],
 "flags": [...], "notes": [...], "assessment": "..."}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.db import connection

from judgeweb.judging.types import Usage, Verdict
from verdicts_app import models
from verdicts_app.models import POINT, Epoch, VerdictFinding, VerdictMark
from verdicts_app.work.claim import Item
from verdicts_app.work.identity import board_key_of

Numbered = Sequence[tuple[int, Verdict]]
"""Verdicts with the ids of their rows."""


def exact(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def scaled(value: Fraction | None) -> int | None:
    """In 1e-9 points, half to even (Python's rounding of a Fraction)."""
    return None if value is None else round(value * POINT)


def detail_of(verdict: Verdict) -> str:
    return json.dumps(
        {
            "parts": {name: exact(value) for name, value in verdict.parts.items()},
            "total_without_persona": exact(verdict.total_without_persona),
            "working": [
                {
                    "name": step.name,
                    "expression": step.expression,
                    "value": exact(step.value),
                    "note": step.note,
                }
                for step in verdict.working
            ],
            "stated": [
                {
                    "name": stated.name,
                    "stated": stated.stated,
                    "computed": stated.computed,
                    "differs": stated.differs,
                }
                for stated in verdict.stated
            ],
            "flags": list(verdict.flags),
            "notes": list(verdict.notes),
            "assessment": verdict.assessment,
        },
        separators=(",", ":"),
    )


def read_detail(verdict: models.Verdict) -> Mapping[str, Any]:
    detail: Mapping[str, Any] = json.loads(verdict.detail)
    return detail


def verdict_row(
    item: Item,
    verdict: Verdict,
    *,
    epoch: Epoch,
    cost_nano_usd: int | None,
    judged_at: datetime,
) -> models.Verdict:
    usage = sum((reply.usage for reply in verdict.replies), Usage())
    return models.Verdict(
        judgement_id=item.id,
        identity=item.identity,
        board_key=board_key_of(
            subject=item.subject, mode=item.mode, epoch_digest=epoch.digest, repeat=item.repeat
        ),
        mode=item.mode,
        epoch=epoch,
        origin=epoch.origin,
        run_id=item.run_pk,
        response_id=item.response_id,
        persona_id=item.persona_id,
        scenario_id=item.scenario_id,
        repeat=item.repeat,
        answered_at=item.answered_at,
        total_nano=scaled(verdict.total),
        without_persona_nano=scaled(verdict.total_without_persona),
        total_exact=exact(verdict.total) or "",
        detail=detail_of(verdict),
        flags=",".join(verdict.flags),
        response_characters=len(item.text),
        cost_nano_usd=cost_nano_usd,
        input_tokens=usage.input_all,
        output_tokens=usage.output,
        latency_ms=sum(reply.latency_ms for reply in verdict.replies) or None,
        judged_at=judged_at,
    )


MARK_COLUMNS = (
    "verdict_id",
    "position",
    "contestant",
    "dimension",
    "key",
    "label",
    "value_exact",
    "value_nano",
    "band",
    "coerced",
    "reasoning",
)
FINDING_COLUMNS = (
    "verdict_id",
    "position",
    "contestant",
    "kind",
    "item_id",
    "category",
    "description",
    "weight",
    "found",
    "evidence",
    "evidence_state",
    "evidence_start",
    "evidence_end",
    "reasoning",
)


def insert_marks(verdicts: Numbered) -> None:
    _insert(VerdictMark, MARK_COLUMNS, _mark_values(verdicts))


def insert_findings(verdicts: Numbered) -> None:
    _insert(VerdictFinding, FINDING_COLUMNS, _finding_values(verdicts))


def _mark_values(verdicts: Numbered) -> Iterable[tuple[Any, ...]]:
    for verdict_id, verdict in verdicts:
        for position, mark in enumerate(verdict.marks):
            yield (
                verdict_id,
                position,
                mark.contestant,
                mark.dimension,
                mark.key,
                mark.label,
                str(mark.value),
                scaled(mark.value),
                mark.band,
                mark.coerced,
                mark.reasoning,
            )


def _finding_values(verdicts: Numbered) -> Iterable[tuple[Any, ...]]:
    for verdict_id, verdict in verdicts:
        for position, finding in enumerate(verdict.findings):
            start, end = finding.evidence_at or (None, None)
            yield (
                verdict_id,
                position,
                finding.contestant,
                finding.kind.value,
                finding.item_id,
                finding.category,
                finding.description,
                finding.weight,
                finding.found,
                finding.evidence,
                finding.evidence_state.value,
                start,
                end,
                finding.reasoning,
            )


def _insert(
    model: type[VerdictMark | VerdictFinding],
    columns: Sequence[str],
    values: Iterable[tuple[Any, ...]],
) -> None:
    """Plain inserts: a verdict has dozens of these rows, and `bulk_create` spends ten times as
    long on making objects of them as the database on storing them."""
    rows = list(values)
    if not rows:
        return
    names = ", ".join(f'"{column}"' for column in columns)
    places = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({places})",
            rows,
        )
