"""What hangs on a verdict, as rows: contestants, marks, findings, checks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from judgeweb.judging.types import Comparison, Decision, Standing, Verdict
from verdicts_app.models import (
    ContestantOutcome,
    VerdictCheck,
    VerdictContestant,
    VerdictFinding,
    VerdictMark,
)
from verdicts_app.work import sql
from verdicts_app.work.verdict_rows import NewVerdict, exact, scaled

Numbered = Sequence[tuple[int, Verdict]]
"""Verdicts with the ids of their rows."""


def insert_parts(ids: Sequence[int], new: Sequence[NewVerdict]) -> None:
    """Of verdicts that were just stored under these ids."""
    numbered = [(pk, one.verdict) for pk, one in zip(ids, new, strict=True)]
    insert_contestants(list(zip(ids, new, strict=True)))
    insert_marks(numbered)
    insert_findings(numbered)
    insert_checks(numbered)


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


CONTESTANT_COLUMNS = (
    "verdict_id",
    "position",
    "label",
    "response_id",
    "persona_id",
    "total_nano",
    "total_exact",
    "without_persona_nano",
    "without_persona_exact",
    "order_totals",
    "outcome",
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


def insert_contestants(new: Sequence[tuple[int, NewVerdict]]) -> None:
    rows = [values for pk, one in new if one.item.pair for values in _contestant_values(pk, one)]
    sql.insert(VerdictContestant, CONTESTANT_COLUMNS, rows)


def outcome_of(comparison: Comparison, standing: Standing) -> str:
    """How the contestant of this standing came out."""
    if comparison.decision is Decision.WIN:
        won = standing.label == comparison.winner
        return str(ContestantOutcome.WON if won else ContestantOutcome.LOST)
    tied = comparison.decision is Decision.TIE
    return str(ContestantOutcome.TIED if tied else ContestantOutcome.INCONSISTENT)


def _contestant_values(verdict_id: int, one: NewVerdict) -> Iterable[tuple[Any, ...]]:
    pair, comparison = one.item.pair, one.verdict.comparison
    assert pair is not None
    assert comparison is not None
    answers = (pair.first, pair.second)
    for position, (response, standing) in enumerate(
        zip(answers, comparison.standings, strict=True), 1
    ):
        yield (
            verdict_id,
            position,
            standing.label,
            response.pk,
            response.persona_id,
            scaled(standing.total),
            exact(standing.total),
            scaled(standing.total_without_persona),
            exact(standing.total_without_persona) or "",
            json.dumps([str(total) for total in standing.totals]),
            outcome_of(comparison, standing),
        )


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
