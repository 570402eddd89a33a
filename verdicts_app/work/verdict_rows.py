"""A verdict as rows: the verdict itself, its marks, its findings, its checks.

`Verdict.detail` is JSON text, fractions as "p/q" or whole numbers, undefined values null:

{"parts": {name: fraction}, "total_without_persona": fraction,
 "working": [{"name", "expression", "value", "note"}],
 "stated": [{"name", "stated", "computed", "differs"}],
 "flags": [...], "notes": [...], "assessment": "...", "extra": {...}}

`extra` is left out where it is empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from judgeweb.judging.types import Usage, Verdict
from verdicts_app import models
from verdicts_app.models import POINT, Epoch, VerdictCheck, VerdictFinding, VerdictMark
from verdicts_app.work import sql
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
            **({"extra": verdict.extra} if verdict.extra else {}),
        },
        separators=(",", ":"),
    )


def read_detail(verdict: models.Verdict) -> Mapping[str, Any]:
    detail: Mapping[str, Any] = json.loads(verdict.detail)
    return detail


VERDICT_COLUMNS = (
    "judgement_id",
    "identity",
    "board_key",
    "mode",
    "epoch_id",
    "origin",
    "run_id",
    "response_id",
    "capture_id",
    "pair_id",
    "chain_id",
    "persona_id",
    "scenario_id",
    "repeat",
    "answered_at",
    "total_nano",
    "without_persona_nano",
    "total_exact",
    "passed",
    "decision",
    "rating",
    "detail",
    "flags",
    "response_characters",
    "cost_nano_usd",
    "input_tokens",
    "output_tokens",
    "latency_ms",
    "judged_at",
    "on_board",
)


@dataclass(eq=False, slots=True)
class NewVerdict:
    """A verdict about to be stored. `cost_nano_usd` sums all requests of its judgement."""

    item: Item
    verdict: Verdict
    epoch: Epoch
    cost_nano_usd: int | None
    board_key: str = ""
    on_board: bool = True

    def __post_init__(self) -> None:
        self.board_key = board_key_of(
            subject=self.item.subject,
            mode=self.item.mode,
            epoch_digest=self.epoch.digest,
            repeat=self.item.repeat,
        )

    def values(self, judged_at: datetime) -> tuple[Any, ...]:
        """In the order of VERDICT_COLUMNS."""
        item, verdict = self.item, self.verdict
        usage = sum((reply.usage for reply in verdict.replies), Usage())
        return (
            item.id,
            item.identity,
            self.board_key,
            item.mode,
            self.epoch.pk,
            self.epoch.origin,
            item.run_pk,
            item.response_id,
            item.capture.pk if item.capture else None,
            item.pair.pk if item.pair else None,
            item.chain.pk if item.chain else None,
            item.persona_id,
            item.scenario_id,
            item.repeat,
            sql.moment(item.answered_at),
            scaled(verdict.total),
            scaled(verdict.total_without_persona),
            exact(verdict.total) or "",
            verdict.passed,
            str(verdict.comparison.decision) if verdict.comparison else "",
            verdict.rating,
            detail_of(verdict),
            ",".join(verdict.flags),
            len(item.text),
            self.cost_nano_usd,
            usage.input_all,
            usage.output,
            sum(reply.latency_ms for reply in verdict.replies) or None,
            sql.moment(judged_at),
            self.on_board,
        )


def insert_verdicts(new: Sequence[NewVerdict], judged_at: datetime) -> list[int]:
    """The new ids, in order."""
    rows = [one.values(judged_at) for one in new]
    return sql.insert_returning(models.Verdict, VERDICT_COLUMNS, rows)


MARK_COLUMNS = (
    "verdict_id",
    "position",
    "contestant",
    "order",
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
    "order",
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


CHECK_COLUMNS = (
    "verdict_id",
    "position",
    "key",
    "ok",
    "rationale",
    "worst_offender",
    "decided_by",
    "evidence_state",
    "evidence_start",
    "evidence_end",
)


def insert_marks(verdicts: Numbered) -> None:
    sql.insert(VerdictMark, MARK_COLUMNS, list(_mark_values(verdicts)))


def insert_findings(verdicts: Numbered) -> None:
    sql.insert(VerdictFinding, FINDING_COLUMNS, list(_finding_values(verdicts)))


def insert_checks(verdicts: Numbered) -> None:
    sql.insert(VerdictCheck, CHECK_COLUMNS, list(_check_values(verdicts)))


def _mark_values(verdicts: Numbered) -> Iterable[tuple[Any, ...]]:
    for verdict_id, verdict in verdicts:
        for position, mark in enumerate(verdict.marks):
            yield (
                verdict_id,
                position,
                mark.contestant,
                mark.order,
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
                finding.order,
                str(finding.kind),
                finding.item_id,
                finding.category,
                finding.description,
                finding.weight,
                finding.found,
                finding.evidence,
                str(finding.evidence_state),
                start,
                end,
                finding.reasoning,
            )


def _check_values(verdicts: Numbered) -> Iterable[tuple[Any, ...]]:
    for verdict_id, verdict in verdicts:
        for position, check in enumerate(verdict.checks):
            start, end = check.evidence_at or (None, None)
            yield (
                verdict_id,
                position,
                check.key,
                check.ok,
                check.rationale,
                check.worst_offender,
                str(check.decided_by),
                str(check.evidence_state),
                start,
                end,
            )
