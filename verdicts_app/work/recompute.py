"""All totals again, from stored marks, stored findings and the pinned documents.

It must change nothing: a difference means that the arithmetic changed without a new prompt or
rubric version, or that somebody reached into the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging import types
from judgeweb.judging.modes import PATCH_MODES, mode_named
from judgeweb.judging.seats import orders_of
from judgeweb.judging.types import Case, Contestant, EvidenceState, FindingKind
from rubrics_app.selectors import gold_document
from verdicts_app.models import (
    PHASES,
    Judgement,
    Verdict,
    VerdictFinding,
    VerdictMark,
)
from verdicts_app.work import cases, sums
from verdicts_app.work.cases import AnyCase
from verdicts_app.work.linked import persona_marks
from verdicts_app.work.reuse import check_of
from verdicts_app.work.verdict_parts import outcome_of
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
        "gold_answer",
        "pair__first__persona",
        "pair__second__persona",
        *(f"chain__{phase}" for phase in PHASES),
    )
    while True:
        batch = list(
            Verdict.objects.filter(pk__gt=after)
            .order_by("pk")
            .select_related(*related)
            .prefetch_related("marks", "findings", "checks", "contestants")[:BATCH]
        )
        if not batch:
            return
        yield from batch
        after = batch[-1].pk


def _case(verdict: Verdict) -> AnyCase | None:
    judgement, epoch = verdict.judgement, verdict.epoch
    if judgement is None or epoch.rubric_revision is None:
        return None
    if verdict.capture is not None:
        return cases.call_case(verdict.capture, epoch, judgement.contract_revision)
    if verdict.chain is not None:
        return cases.chain_case(verdict.chain, epoch)
    return _case_of_answers(verdict, judgement)


def _case_of_answers(verdict: Verdict, judgement: Judgement) -> AnyCase | None:
    epoch, scenario = verdict.epoch, judgement.scenario_revision
    rubric = epoch.rubric_revision
    if scenario is None or rubric is None:
        return None
    if verdict.pair is not None:
        contestants = cases.contestants_of(verdict.pair, verdict.mode)
        return cases.answer_case(contestants, epoch, scenario, judgement.gold_revision)
    if verdict.gold_answer is not None:
        answer = gold_document(verdict.gold_answer).response
        return cases.answer_case([Contestant(cases.GOLD_SPEC, "", answer)], epoch, scenario, None)
    if verdict.response is None:
        return None
    if verdict.mode in PATCH_MODES:
        instance = cases.instance_of(scenario)
        if instance is None:
            return None
        linked = persona_marks({judgement.linked_id} if judgement.linked_id else set())
        persona = linked.get(judgement.linked_id or 0)
        return cases.known_patch_case(verdict.response.text, rubric, scenario, instance, persona)
    contestant = cases.contestant_of(verdict.response)
    return cases.answer_case([contestant], epoch, scenario, judgement.gold_revision)


def _computed(verdict: Verdict, case: AnyCase) -> types.Verdict:
    mode = mode_named(verdict.mode)
    if (unasked := mode.without_request(case)) is not None:
        return unasked
    orders: tuple[str, ...] = ("",)
    if isinstance(case, Case) and len(case.contestants) > 1:
        orders = orders_of(case)
    return mode.score(case, tuple(_reading(verdict, order) for order in orders))


def _reading(verdict: Verdict, order: str) -> types.Reading:
    """What was read from the reply in this order; "" where there is but one."""
    return types.Reading(
        marks=tuple(_mark(row) for row in verdict.marks.all() if row.order == order),
        findings=tuple(_finding(row) for row in verdict.findings.all() if row.order == order),
        checks=tuple(check_of(row) for row in verdict.checks.all()),
        rating=verdict.rating,
    )


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
        order=row.order,
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
        order=row.order,
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
        **_stored_comparison(verdict),
    }
    again = {
        "total": exact(computed.total),
        "total in 1e-9 points": scaled(computed.total),
        "total without persona": exact(computed.total_without_persona),
        "without persona in 1e-9 points": scaled(computed.total_without_persona),
        "passed": computed.passed,
        **{f"part {name}": exact(value) for name, value in computed.parts.items()},
        **{f"check {check.key}": check.ok for check in computed.checks},
        **_computed_comparison(computed),
    }
    for figure in stored.keys() | again.keys():
        if stored.get(figure) != again.get(figure):
            yield Difference(
                f"verdict {verdict.pk}", figure, _said(stored.get(figure)), _said(again.get(figure))
            )


def _stored_comparison(verdict: Verdict) -> dict[str, object]:
    """What was decided or rated, and what each contestant reached."""
    figures: dict[str, object] = {"decision": verdict.decision, "rating": verdict.rating}
    for row in verdict.contestants.all():
        figures |= {
            f"{row.label} total": row.total_exact or None,
            f"{row.label} total in 1e-9 points": row.total_nano,
            f"{row.label} without persona": row.without_persona_exact or None,
            f"{row.label} without persona in 1e-9 points": row.without_persona_nano,
            f"{row.label} totals": json.loads(row.order_totals),
            f"{row.label} outcome": row.outcome,
        }
    return figures


def _computed_comparison(computed: types.Verdict) -> dict[str, object]:
    comparison = computed.comparison
    decision = str(comparison.decision) if comparison else ""
    figures: dict[str, object] = {"decision": decision, "rating": computed.rating}
    if comparison is None:
        return figures
    for one in comparison.standings:
        figures |= {
            f"{one.label} total": exact(one.total),
            f"{one.label} total in 1e-9 points": scaled(one.total),
            f"{one.label} without persona": exact(one.total_without_persona),
            f"{one.label} without persona in 1e-9 points": scaled(one.total_without_persona),
            f"{one.label} totals": [str(total) for total in one.totals],
            f"{one.label} outcome": outcome_of(comparison, one),
        }
    return figures


def _said(value: object) -> str:
    return "undefined" if value is None else str(value)
