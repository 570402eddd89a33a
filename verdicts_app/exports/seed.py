"""The verdict file of seed B: exactly its keys in its order, aggregates recomputed.

One call type and one epoch a file, one verdict a call_id, in upload order. What is unjudged or
undecidable in any dimension is left out by whoever collects the verdicts: false would start paid
work downstream. Text is ASCII with escapes, so that whatever was captured can be written.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from judgeweb.judging.text import one_line
from judgeweb.judging.types import Check, EvidenceState

SCHEMA, FACTUAL, HALLUCINATION = "schema_ok", "factually_grounded", "hallucination_free"
# Whose quote is the worst: what was made up goes before what is wrong and what is misshapen.
_WORST_FIRST = (HALLUCINATION, FACTUAL, SCHEMA)


@dataclass(frozen=True)
class CallVerdict:
    """A capture that is decided in all three dimensions."""

    call_id: str
    schema_ok: bool
    schema_rationale: str
    factually_grounded: bool
    factual_rationale: str
    hallucination_free: bool
    hallucination_rationale: str
    worst_offender: str = ""

    @property
    def passed(self) -> bool:
        return self.schema_ok and self.factually_grounded and self.hallucination_free


@dataclass(frozen=True)
class CallVerdicts:
    """Everything of one file. `judged_at` is the time of its latest verdict."""

    call_type: str
    run_id: str
    judged_at: datetime
    judge_model: str
    verdicts: tuple[CallVerdict, ...]


@dataclass(frozen=True)
class Aggregate:
    n: int
    schema_pass: int
    factual_pass: int
    hallucination_free_pass: int
    overall_pass: int


def call_verdict(call_id: str, checks: Iterable[Check]) -> CallVerdict | None:
    """The verdict on a capture as it is exported; None where a dimension is not decided."""
    by_key = {check.key: check for check in checks}
    schema, factual, free = (by_key.get(key) for key in (SCHEMA, FACTUAL, HALLUCINATION))
    if schema is None or factual is None or free is None:
        return None
    if schema.ok is None or factual.ok is None or free.ok is None:
        return None
    return CallVerdict(
        call_id=call_id,
        schema_ok=schema.ok,
        schema_rationale=one_line(schema.rationale),
        factually_grounded=factual.ok,
        factual_rationale=one_line(factual.rationale),
        hallucination_free=free.ok,
        hallucination_rationale=one_line(free.rationale),
        worst_offender=worst_offender(by_key),
    )


def worst_offender(checks: Mapping[str, Check]) -> str:
    """One line that the response really holds, of the worst failure that has one."""
    for check in (checks[key] for key in _WORST_FIRST):
        is_quoted = check.worst_offender and check.evidence_state is not EvidenceState.NOT_FOUND
        if check.ok is False and is_quoted:
            return one_line(check.worst_offender)
    return ""


def aggregate(verdicts: Iterable[CallVerdict]) -> Aggregate:
    rows = tuple(verdicts)
    return Aggregate(
        n=len(rows),
        schema_pass=sum(row.schema_ok for row in rows),
        factual_pass=sum(row.factually_grounded for row in rows),
        hallucination_free_pass=sum(row.hallucination_free for row in rows),
        overall_pass=sum(row.passed for row in rows),
    )


def seed_export(calls: CallVerdicts) -> dict[str, Any]:
    counted = aggregate(calls.verdicts)
    return {
        "call_type": calls.call_type,
        "run_id": calls.run_id,
        "judged_at": iso(calls.judged_at),
        "judge_model": calls.judge_model,
        "verdicts": [seed_verdict(verdict) for verdict in calls.verdicts],
        "aggregate": {
            "n": counted.n,
            "schema_pass": counted.schema_pass,
            "factual_pass": counted.factual_pass,
            "hallucination_free_pass": counted.hallucination_free_pass,
            "overall_pass": counted.overall_pass,
        },
    }


def seed_verdict(verdict: CallVerdict) -> dict[str, Any]:
    row: dict[str, Any] = {
        "call_id": verdict.call_id,
        "schema_ok": verdict.schema_ok,
        "schema_rationale": verdict.schema_rationale,
        "factually_grounded": verdict.factually_grounded,
        "factual_rationale": verdict.factual_rationale,
        "hallucination_free": verdict.hallucination_free,
        "hallucination_rationale": verdict.hallucination_rationale,
        "pass": verdict.passed,
    }
    if not verdict.passed and verdict.worst_offender:
        row["worst_offender"] = verdict.worst_offender
    return row


def file_text(value: Any) -> str:
    """A value as every file of ours writes it: two spaces, ASCII, a newline at the end."""
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def iso(at: datetime) -> str:
    """ISO-8601 in UTC, to the second. Raise ValueError for a time without a zone."""
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone")
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def summary_line(call_type: str, counted: Aggregate, out_path: str) -> str:
    n = counted.n
    return (
        f"[{call_type}] judged n={n} schema={counted.schema_pass}/{n} "
        f"factual={counted.factual_pass}/{n} halluc_free={counted.hallucination_free_pass}/{n} "
        f"pass={counted.overall_pass}/{n} → {out_path}"
    )


def no_captures(call_type: str, path: str) -> str:
    return f"No captures for call_type={call_type} in {path}"
