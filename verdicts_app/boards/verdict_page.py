"""One verdict with everything behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.db.models import Q

from judgeweb.judging.documents import RubricDocument, ScenarioDocument
from rubrics_app.models import Revision
from rubrics_app.selectors import gold_document, rubric_document, scenario_document
from verdicts_app.boards.calibration import Calibration, Judge, judge_off
from verdicts_app.boards.checklist import Checklist, checklist
from verdicts_app.boards.claim_tables import ClaimTable, claim_tables
from verdicts_app.boards.gold_seen import GoldSeen, gold_seen
from verdicts_app.boards.highlight import Segment, segments
from verdicts_app.boards.marks import MarkRow, PartFigure, mark_rows, part_figures
from verdicts_app.boards.reasons import FLAG_SIGNS, FLAGS
from verdicts_app.boards.requests_made import RequestMade, requests_made
from verdicts_app.boards.same_model import own_of
from verdicts_app.boards.sentences import parameters_in_words, verdict_sentence
from verdicts_app.boards.stored_detail import StoredDetail, exact, stored_detail
from verdicts_app.boards.subjects import same_subject
from verdicts_app.models import (
    Epoch,
    ImportedDocument,
    Judgement,
    JudgementState,
    Origin,
    Response,
    Verdict,
)

OUTCOMES_MOST, OUTCOMES_ON_GOLD = 100, 15
"""On one subject; a gold standard may be judged every night."""
STATED_TOTALS = {"weighted_total", "total_score", "total", "score", "score_pct"}


@dataclass(frozen=True)
class FlagRow:
    name: str
    sign: str
    meaning: str


@dataclass(frozen=True)
class OtherVerdict:
    """Another outcome on the same subject: a verdict, or an unjudged judgement. `word` is the
    decision or the rating of one that has no total."""

    verdict_id: int | None
    judgement_id: int | None
    judged_at: datetime | None
    judge: str
    epoch: str
    repeat: int
    state: str
    total: Fraction | None
    word: str
    is_this: bool
    is_faint: bool


@dataclass(frozen=True)
class Pager:
    previous: int | None
    next: int | None
    position: int
    count: int


@dataclass(frozen=True)
class VerdictPage:
    verdict: Verdict
    epoch: Epoch
    judgement: Judgement | None
    response: Response | None
    who: str
    where: str
    sentence: str
    total: Fraction | None
    parts: tuple[PartFigure, ...]
    recall: Fraction | None
    precision: Fraction | None
    has_precision: bool
    detail: StoredDetail
    mismatch: tuple[str, str] | None
    marks: tuple[MarkRow, ...]
    seen: Checklist
    text: tuple[Segment, ...]
    flags: tuple[FlagRow, ...]
    requests: tuple[RequestMade, ...]
    others: tuple[OtherVerdict, ...]
    newer: int | None
    pager: Pager | None
    rubric: RubricDocument | None
    scenario: ScenarioDocument | None
    imported: ImportedDocument | None
    claims: tuple[ClaimTable, ...]
    gold: GoldSeen | None
    outside: tuple[Calibration, ...]
    own: tuple[str, ...]

    @property
    def parameters(self) -> str:
        return parameters_in_words(self.epoch.parameters)

    @property
    def code_lines(self) -> int:
        return code_lines(self.scenario)


def code_lines(scenario: ScenarioDocument | None) -> int:
    files = scenario.files if scenario else ()
    return sum(len(file.content.splitlines()) for file in files)


def verdict_page(verdict_id: int) -> VerdictPage | None:
    """None where there is no such verdict."""
    verdict = (
        Verdict.objects.select_related(
            "judgement__job",
            "judgement__scenario_revision",
            "judgement__gold_revision",
            "epoch__rubric_revision",
            "response",
            "gold_answer",
            "persona",
            "scenario",
            "run",
        )
        .filter(pk=verdict_id)
        .first()
    )
    return _page(verdict) if verdict else None


def _page(verdict: Verdict) -> VerdictPage:
    judgement, response = verdict.judgement, verdict.response
    revision = judgement.scenario_revision if judgement else None
    rubric = _rubric(verdict.epoch.rubric_revision)
    detail = stored_detail(verdict.detail)
    seen = checklist(list(verdict.findings.all()), verdict.mode)
    marks = mark_rows(list(verdict.marks.all()), rubric)
    flags = [flag for flag in verdict.flags.split(",") if flag]
    total = exact(verdict.total_exact)
    who = _who(verdict)
    return VerdictPage(
        verdict=verdict,
        epoch=verdict.epoch,
        judgement=judgement,
        response=response,
        who=verdict.persona.spec if verdict.persona else who,
        where=_where(verdict),
        sentence=verdict_sentence(who, verdict.mode, marks, seen, flags),
        total=total,
        parts=part_figures(detail.parts, rubric, detail.out_of),
        recall=detail.parts.get("recall"),
        precision=detail.parts.get("precision"),
        has_precision="precision" in detail.parts,
        detail=detail,
        mismatch=_mismatch(detail),
        marks=marks,
        seen=seen,
        text=segments(judged_text(verdict), seen.quotes),
        flags=tuple(flag_row(flag) for flag in flags),
        requests=requests_made(judgement.pk if judgement else None),
        others=outcomes_on(same_subject(verdict), this_verdict=verdict.pk),
        newer=newer_than(verdict),
        pager=pager_of(verdict),
        rubric=rubric,
        scenario=_scenario(revision),
        gold=gold_seen(verdict.gold_answer, total),
        outside=judge_off(Judge.of(verdict.epoch)),
        own=own_of(verdict),
        imported=ImportedDocument.objects.filter(verdict=verdict).first()
        if verdict.origin == Origin.IMPORTED
        else None,
        claims=claim_tables(verdict),
    )


def _rubric(revision: Revision | None) -> RubricDocument | None:
    return rubric_document(revision) if revision else None


def _scenario(revision: Revision | None) -> ScenarioDocument | None:
    return scenario_document(revision) if revision else None


def judged_text(verdict: Verdict) -> str:
    """Of a response, or of the gold standard that calibrates its judge."""
    if verdict.gold_answer is not None:
        return gold_document(verdict.gold_answer).response
    return verdict.response.text if verdict.response else ""


def _who(verdict: Verdict) -> str:
    """The character where there is one, else the spec."""
    if verdict.gold_answer_id is not None:
        return "The gold standard"
    character = verdict.response.character if verdict.response else ""
    if verdict.persona:
        return character or verdict.persona.character or verdict.persona.spec
    return character or "The answer"


def _where(verdict: Verdict) -> str:
    if verdict.scenario:
        return verdict.scenario.key
    return verdict.response.scenario_key if verdict.response else ""


def flag_row(flag: str) -> FlagRow:
    return FlagRow(flag.replace("_", " "), FLAG_SIGNS.get(flag, ""), FLAGS.get(flag, ""))


def _mismatch(detail: StoredDetail) -> tuple[str, str] | None:
    """The stated and the computed total, where they differ."""
    for figure in detail.stated:
        if figure.differs and figure.name in STATED_TOTALS:
            return figure.stated, figure.computed
    return None


def newer_than(verdict: Verdict) -> int | None:
    """The live verdict that took the place of a superseded one."""
    if verdict.is_live:
        return None
    live = Verdict.objects.filter(identity=verdict.identity, superseded_at__isnull=True)
    return live.values_list("pk", flat=True).first()


def pager_of(verdict: Verdict) -> Pager | None:
    """Where the verdict stands among the live ones of its run, in the order they were judged."""
    if verdict.run_id is None:
        return None
    of_run = Verdict.objects.filter(run_id=verdict.run_id).filter(
        Q(superseded_at__isnull=True) | Q(pk=verdict.pk)
    )
    ids = of_run.order_by("pk").values_list("pk", flat=True)
    return Pager(
        previous=ids.filter(pk__lt=verdict.pk).last(),
        next=ids.filter(pk__gt=verdict.pk).first(),
        position=ids.filter(pk__lte=verdict.pk).count(),
        count=ids.count(),
    )


def outcomes_on(
    subject: Mapping[str, Any],
    *,
    this_verdict: int | None = None,
    this_judgement: int | None = None,
) -> tuple[OtherVerdict, ...]:
    """The newest outcomes on the subject, newest first. None on an empty one."""
    if not subject:
        return ()
    most = OUTCOMES_ON_GOLD if "gold_answer" in subject else OUTCOMES_MOST
    verdicts = Verdict.objects.filter(**subject).select_related("epoch").defer("detail")
    unjudged = Judgement.objects.filter(**subject, state=JudgementState.UNJUDGED).select_related(
        "epoch"
    )
    rows = [_other(verdict, this_verdict) for verdict in verdicts.order_by("-pk")[:most]]
    unjudged = unjudged.order_by("-pk")[:most]
    rows += [_other_unjudged(judgement, this_judgement) for judgement in unjudged]
    return tuple(sorted(rows, key=_when, reverse=True)[:most])


def _when(row: OtherVerdict) -> float:
    return row.judged_at.timestamp() if row.judged_at else 0.0


def _other(verdict: Verdict, this: int | None) -> OtherVerdict:
    return OtherVerdict(
        verdict_id=verdict.pk,
        judgement_id=None,
        judged_at=verdict.judged_at,
        judge=verdict.epoch.judge,
        epoch=verdict.epoch.short,
        repeat=verdict.repeat,
        state=_state(verdict),
        total=exact(verdict.total_exact),
        word=verdict.decision or verdict.rating,
        is_this=verdict.pk == this,
        is_faint=not verdict.is_live,
    )


def _state(verdict: Verdict) -> str:
    if not verdict.is_live:
        return "superseded"
    return "trial" if verdict.origin == Origin.TRIAL else "live"


def _other_unjudged(judgement: Judgement, this: int | None) -> OtherVerdict:
    return OtherVerdict(
        verdict_id=None,
        judgement_id=judgement.pk,
        judged_at=judgement.finished_at,
        judge=judgement.epoch.judge,
        epoch=judgement.epoch.short,
        repeat=judgement.repeat,
        state=f"unjudged: {judgement.unjudged_reason.replace('_', ' ')}",
        total=None,
        word="",
        is_this=judgement.pk == this,
        is_faint=True,
    )
