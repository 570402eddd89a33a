"""One comparison with everything behind it: two contestants, in both orders, beside one another."""

import json
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.documents import RubricDocument, ScenarioDocument
from judgeweb.judging.types import FIRST, SECOND, Stated, Step
from rubrics_app.selectors import rubric_document, scenario_document
from verdicts_app.boards.calibration import Calibration, Judge, judge_off
from verdicts_app.boards.checklist import FindingRow
from verdicts_app.boards.claim_tables import ClaimTable, claim_tables
from verdicts_app.boards.duel_sides import ItemLine, Side, item_lines, side_of
from verdicts_app.boards.duel_tables import MarkLine, OrderColumn, mark_lines, order_columns
from verdicts_app.boards.duel_words import duel_sentence, mode_title
from verdicts_app.boards.requests_made import RequestMade, requests_made
from verdicts_app.boards.same_model import own_of
from verdicts_app.boards.sentences import parameters_in_words
from verdicts_app.boards.stored_detail import StoredDetail, step_name, stored_detail
from verdicts_app.boards.subjects import same_subject
from verdicts_app.boards.verdict_page import (
    FlagRow,
    OtherVerdict,
    Pager,
    code_lines,
    flag_row,
    newer_than,
    outcomes_on,
    pager_of,
)
from verdicts_app.models import Decision, Epoch, Judgement, Verdict, VerdictMark


@dataclass(frozen=True)
class Evidence:
    """The quotes of both sides together; `items` counts what both were asked for."""

    items: int
    quoted: int
    lost: tuple[FindingRow, ...]


@dataclass(frozen=True)
class WorkingOf:
    """The steps that led to one contestant's total in one order."""

    order: str
    label: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class DuelPage:
    """`sides` are in the order of the pair. `winner` is null unless one won."""

    verdict: Verdict
    epoch: Epoch
    judgement: Judgement | None
    mode: str
    where: str
    sentence: str
    sides: tuple[Side, Side]
    winner: Side | None
    gap: Fraction | None
    orders: tuple[OrderColumn, ...]
    marks: tuple[VerdictMark, ...]
    mark_lines: tuple[MarkLine, ...]
    items: tuple[ItemLine, ...]
    workings: tuple[WorkingOf, ...]
    conclusion: tuple[Step, ...]
    detail: StoredDetail
    stated: tuple[Stated, ...]
    seen: Evidence
    flags: tuple[FlagRow, ...]
    requests: tuple[RequestMade, ...]
    others: tuple[OtherVerdict, ...]
    newer: int | None
    pager: Pager | None
    rubric: RubricDocument | None
    scenario: ScenarioDocument | None
    claims: tuple[ClaimTable, ...]
    outside: tuple[Calibration, ...]
    own: tuple[str, ...]
    mismatch: None = None
    response: None = None

    @property
    def who(self) -> str:
        return f"{self.sides[0].label} against {self.sides[1].label}"

    @property
    def parameters(self) -> str:
        return parameters_in_words(self.epoch.parameters)

    @property
    def code_lines(self) -> int:
        return code_lines(self.scenario)

    @property
    def is_flip(self) -> bool:
        return self.verdict.decision == Decision.INCONSISTENT

    @property
    def has_stated_winner(self) -> bool:
        return any(order.stated for order in self.orders)

    @property
    def has_claims(self) -> bool:
        return any(side.claims for side in self.sides)


def duel_page(verdict_id: int) -> DuelPage | None:
    """None where there is no such verdict on a pair."""
    verdict = (
        Verdict.objects.select_related(
            "judgement__job",
            "judgement__scenario_revision",
            "judgement__gold_revision",
            "epoch__rubric_revision",
            "pair",
            "scenario",
            "run",
        )
        .filter(pk=verdict_id, pair__isnull=False)
        .first()
    )
    return _page(verdict) if verdict else None


def _page(verdict: Verdict) -> DuelPage:
    judgement = verdict.judgement
    revision = judgement.scenario_revision if judgement else None
    pinned = verdict.epoch.rubric_revision
    rubric = rubric_document(pinned) if pinned else None
    contestants = list(verdict.contestants.select_related("response__run", "persona"))
    marks, findings = list(verdict.marks.all()), list(verdict.findings.all())
    kind = rubric.mode if rubric else ""
    one, other = (side_of(contestant, findings, kind) for contestant in contestants)
    labels = (one.label, other.label)
    detail = stored_detail(verdict.detail)
    winner = next((side for side in (one, other) if side.outcome == "won"), None)
    flags = [flag for flag in verdict.flags.split(",") if flag]
    asked = json.loads(verdict.epoch.parameters or "{}").get("orders")
    return DuelPage(
        verdict=verdict,
        epoch=verdict.epoch,
        judgement=judgement,
        mode=mode_title(verdict.mode),
        where=verdict.scenario.key if verdict.scenario else "",
        sentence=duel_sentence(verdict, one, other),
        sides=(one, other),
        winner=winner,
        gap=_gap(one, other),
        orders=order_columns(one, other, detail.stated, asked),
        marks=tuple(marks),
        mark_lines=mark_lines(marks, labels),
        items=item_lines(findings, (one, other)),
        workings=_workings(detail.working, labels),
        conclusion=_conclusion(detail.working, labels),
        detail=detail,
        stated=detail.stated,
        seen=_seen(one, other),
        flags=tuple(flag_row(flag) for flag in flags),
        requests=requests_made(judgement.pk if judgement else None),
        others=outcomes_on(same_subject(verdict), this_verdict=verdict.pk),
        newer=newer_than(verdict),
        pager=pager_of(verdict),
        rubric=rubric,
        scenario=scenario_document(revision) if revision else None,
        claims=claim_tables(verdict),
        outside=judge_off(Judge.of(verdict.epoch)),
        own=own_of(verdict, (one.response.model for one in contestants)),
    )


def _gap(one: Side, other: Side) -> Fraction | None:
    """In points; None where only the outcome is known."""
    if one.total is None or other.total is None:
        return None
    return abs(one.total - other.total)


def _seen(one: Side, other: Side) -> Evidence:
    return Evidence(
        items=one.seen.items + other.seen.items,
        quoted=one.seen.quoted + other.seen.quoted,
        lost=one.seen.lost + other.seen.lost,
    )


def _workings(steps: tuple[Step, ...], labels: tuple[str, str]) -> tuple[WorkingOf, ...]:
    found = [
        WorkingOf(order, label, _steps_under(f"{order}.{label}.", steps))
        for order in (FIRST, SECOND)
        for label in labels
    ]
    return tuple(working for working in found if working.steps)


def _steps_under(prefix: str, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps whose names begin with a place, under the names that they have there."""
    shown = step_name(prefix)
    return tuple(
        Step(step_name(step.name.removeprefix(shown)), step.expression, step.value, step.note)
        for step in steps
        if step.name.startswith(shown)
    )


def _conclusion(steps: tuple[Step, ...], labels: tuple[str, str]) -> tuple[Step, ...]:
    """The means over the orders and the margin."""
    names = {step_name(f"{label}.total"): label for label in labels}
    return tuple(
        Step(names.get(step.name, step.name), step.expression, step.value, step.note)
        for step in steps
        if step.name in names or step.name == "margin"
    )
