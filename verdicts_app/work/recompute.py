"""All totals again, from stored marks, stored findings and the pinned documents.

It must change nothing: a difference means that the arithmetic changed without a new prompt or
rubric version, or that somebody reached into the database.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.conf import settings

from judgeweb.judging import types
from judgeweb.judging.modes import mode_named
from judgeweb.judging.types import (
    CallCase,
    Case,
    Contestant,
    DecidedBy,
    EvidenceState,
    FindingKind,
)
from rubrics_app import selectors
from verdicts_app.models import Verdict, VerdictCheck, VerdictFinding, VerdictMark
from verdicts_app.work import sums
from verdicts_app.work.cells import SOLO_ORDERS
from verdicts_app.work.claim import call_case
from verdicts_app.work.verdict_rows import exact, read_detail, scaled

BATCH = 500


@dataclass(frozen=True)
class Difference:
    """`place` is "verdict 7", or the sum under a board."""

    place: str
    figure: str
    stored: str
    computed: str


@dataclass
class Recomputed:
    """`left_out` counts verdicts without pinned documents: those of other tools."""

    verdicts: int = 0
    left_out: int = 0


def recompute(counts: Recomputed) -> Iterator[Difference]:
    """Every stored figure that its marks do not give. Nothing is written."""
    for verdict in _verdicts():
        case = _case(verdict)
        if case is None:
            counts.left_out += 1
            continue
        counts.verdicts += 1
        yield from _differences(verdict, _computed(verdict, case))
    yield from _sum_differences()


def _sum_differences() -> Iterator[Difference]:
    """Where the sums under the boards are not what verdicts and captures add up to."""
    for place, stored, computed in sums.differences():
        yield Difference(place, "sums", str(stored), str(computed))


def _verdicts() -> Iterator[Verdict]:
    """In keyset order, so that memory stays flat over any number."""
    after = 0
    related = (
        "epoch__rubric_revision",
        "judgement__scenario_revision",
        "judgement__gold_revision",
        "judgement__contract_revision",
        "response__persona",
        "capture__system_prompt",
    )
    while True:
        batch = list(
            Verdict.objects.filter(pk__gt=after)
            .order_by("pk")
            .select_related(*related)
            .prefetch_related("marks", "findings", "checks")[:BATCH]
        )
        if not batch:
            return
        yield from batch
        after = batch[-1].pk


def _case(verdict: Verdict) -> Case | CallCase | None:
    judgement, rubric, response = verdict.judgement, verdict.epoch.rubric_revision, verdict.response
    if judgement is None or rubric is None:
        return None
    if verdict.capture is not None:
        return call_case(verdict.capture, verdict.epoch, judgement.contract_revision)
    if response is None:
        return None
    if judgement.scenario_revision is None:
        return None
    gold = judgement.gold_revision
    character = response.character or response.persona.character
    return Case(
        rubric=selectors.rubric_document(rubric),
        scenario=selectors.scenario_document(judgement.scenario_revision),
        contestants=(Contestant(response.persona.spec, character, response.text),),
        secret=settings.SECRET_KEY.encode(),
        gold=selectors.gold_document(gold) if gold else None,
        orders=SOLO_ORDERS,
    )


def _computed(verdict: Verdict, case: Case | CallCase) -> types.Verdict:
    mode = mode_named(verdict.mode)
    if (unasked := mode.without_request(case)) is not None:
        return unasked
    reading = types.Reading(
        marks=tuple(_mark(row) for row in verdict.marks.all()),
        findings=tuple(_finding(row) for row in verdict.findings.all()),
        checks=tuple(_check(row) for row in verdict.checks.all()),
    )
    return mode.score(case, (reading,))


def _mark(row: VerdictMark) -> types.Mark:
    return types.Mark(
        key=row.key,
        label=row.label,
        dimension=row.dimension,
        value=Fraction(row.value_exact),
        reasoning=row.reasoning,
        band=row.band,
        coerced=row.coerced,
        contestant=row.contestant,
    )


def _finding(row: VerdictFinding) -> types.Finding:
    quoted = row.evidence_start is not None and row.evidence_end is not None
    return types.Finding(
        kind=FindingKind(row.kind),
        item_id=row.item_id,
        category=row.category,
        description=row.description,
        weight=row.weight,
        found=row.found,
        evidence=row.evidence,
        evidence_state=EvidenceState(row.evidence_state),
        evidence_at=(row.evidence_start, row.evidence_end) if quoted else None,  # type: ignore[arg-type]
        reasoning=row.reasoning,
        contestant=row.contestant,
    )


def _check(row: VerdictCheck) -> types.Check:
    quoted = row.evidence_start is not None and row.evidence_end is not None
    return types.Check(
        key=row.key,
        ok=row.ok,
        rationale=row.rationale,
        worst_offender=row.worst_offender,
        decided_by=DecidedBy(row.decided_by),
        evidence_state=EvidenceState(row.evidence_state),
        evidence_at=(row.evidence_start, row.evidence_end) if quoted else None,  # type: ignore[arg-type]
    )


def _differences(verdict: Verdict, computed: types.Verdict) -> Iterator[Difference]:
    detail = read_detail(verdict)
    stored = {
        "total": verdict.total_exact or None,
        "total in 1e-9 points": verdict.total_nano,
        "total without persona": detail.get("total_without_persona"),
        "without persona in 1e-9 points": verdict.without_persona_nano,
        "passed": verdict.passed,
        **{f"part {name}": value for name, value in detail.get("parts", {}).items()},
        **{f"check {row.key}": row.ok for row in verdict.checks.all()},
    }
    again = {
        "total": exact(computed.total),
        "total in 1e-9 points": scaled(computed.total),
        "total without persona": exact(computed.total_without_persona),
        "without persona in 1e-9 points": scaled(computed.total_without_persona),
        "passed": computed.passed,
        **{f"part {name}": exact(value) for name, value in computed.parts.items()},
        **{f"check {check.key}": check.ok for check in computed.checks},
    }
    for figure in stored.keys() | again.keys():
        if stored.get(figure) != again.get(figure):
            yield Difference(
                f"verdict {verdict.pk}", figure, _said(stored.get(figure)), _said(again.get(figure))
            )


def _said(value: object) -> str:
    return "undefined" if value is None else str(value)
