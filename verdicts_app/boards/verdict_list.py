"""The verdicts, or the unjudged, behind a figure of a board: keyset pages, newest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet

from rubrics_app.models import Revision, RevisionKind
from verdicts_app.boards.cells import narrowed
from verdicts_app.boards.filters import BoardFilters, OneDay, Problem, Query, text_of
from verdicts_app.boards.same_model import is_own, judgements_of, verdicts_of
from verdicts_app.boards.subjects import (
    SUBJECT_TEXTS,
    SUBJECTS_RELATED,
    answers_of,
    models_of,
    who_of,
)
from verdicts_app.models import (
    Epoch,
    Judgement,
    JudgementState,
    Origin,
    Verdict,
    VerdictContestant,
)

PAGE_SIZE = 50
EXACT = {
    "persona": "persona__spec",
    "model": "response__model",
    "run": "run__run_id",
    "against": "",
}
"""Parameters that name one thing, with the column of a verdict they narrow. A persona may be one
of two contestants as well; `against` is the other one."""


@dataclass(frozen=True)
class ListFilters:
    """The filters shared with the boards, and what names one thing alone.

    `gold` lists the calibrations on the gold standard of that scenario instead, live and
    superseded, by the time of the judging. `is_unjudged` lists judgements without a verdict;
    `before` is the id a page starts below.
    """

    shared: BoardFilters
    exact: Mapping[str, str]
    gold: str = ""
    is_unjudged: bool = False
    before: int | None = None
    problems: tuple[Problem, ...] = ()

    @classmethod
    def from_query(cls, query: Query) -> "ListFilters":
        """`day` is short for one day as `from` and `to`."""
        shared = BoardFilters.from_query(_WithoutSwitch(query))
        texts = {name: str(query.get(name) or "").strip() for name in (*EXACT, "gold", "before")}
        exact = {name: texts[name] for name in EXACT if texts[name] and "\0" not in texts[name]}
        before = texts["before"]
        problems = shared.problems
        if before and not (before.isascii() and before.isdigit() and len(before) < 19):
            problems = (*problems, Problem("before", before[:80], "the id of a verdict"))
            before = ""
        return cls(
            shared=shared,
            exact=exact,
            gold=text_of(texts["gold"]) or "",
            is_unjudged=str(query.get("state")) == "unjudged",
            before=int(before) if before else None,
            problems=problems,
        )

    def to_query(self, **changes: Any) -> str:
        changed = replace(self, **changes)
        pairs = [*changed.exact.items()]
        if changed.gold:
            pairs.append(("gold", changed.gold))
        if changed.is_unjudged:
            pairs.append(("state", "unjudged"))
        if changed.before:
            pairs.append(("before", str(changed.before)))
        return "&".join(part for part in (changed.shared.to_query(), urlencode(pairs)) if part)


class _WithoutSwitch(OneDay):
    """As the boards read it, but that a persona is no switch."""

    def get(self, key: str, /) -> Any:
        return None if key == "persona" else super().get(key)


@dataclass(frozen=True)
class Listed:
    """One line. `total_nano` is None for an unjudged one, which has a `reason`, and where `word`
    is the decision or the rating. `is_joint`: several answers were judged together; `is_own`: an
    answer is of the judge's own model. Of a captured call `spec` is its call type and `scenario`
    its id."""

    id: int
    spec: str
    scenario: str
    run_id: str
    mode: str
    origin: str
    epoch: str
    total_nano: int | None
    word: str
    is_joint: bool
    reason: str
    flags: tuple[str, ...]
    answered_at: datetime
    finished_at: datetime
    repeat: int
    is_live: bool = True
    is_own: bool = False


@dataclass(frozen=True)
class VerdictList:
    filters: ListFilters
    rows: tuple[Listed, ...]
    older: int | None


def verdict_list(filters: ListFilters) -> VerdictList:
    rows = _unjudged(filters) if filters.is_unjudged else _verdicts(filters)
    shown = tuple(rows[:PAGE_SIZE])
    return VerdictList(filters, shown, shown[-1].id if len(rows) > PAGE_SIZE else None)


def _verdicts(filters: ListFilters) -> list[Listed]:
    found = _calibrations(filters) if filters.gold else _on_boards(filters)
    rows = _page(found, filters).select_related(
        *("persona", "scenario", "run", "epoch", "capture"), *SUBJECTS_RELATED
    )
    return [
        Listed(
            id=verdict.pk,
            spec=who_of(verdict) or (verdict.persona.spec if verdict.persona else ""),
            scenario=_where(verdict),
            run_id=verdict.run.run_id if verdict.run else "",
            mode=verdict.mode,
            origin=verdict.origin,
            epoch=verdict.epoch.short,
            total_nano=verdict.total_nano,
            word=verdict.decision or verdict.rating or _passed(verdict),
            is_joint=verdict.pair_id is not None or verdict.chain_id is not None,
            reason="",
            flags=tuple(filter(None, verdict.flags.split(","))),
            answered_at=verdict.answered_at,
            finished_at=verdict.judged_at,
            repeat=verdict.repeat,
            is_live=verdict.is_live,
            is_own=is_own(verdict.epoch, *models_of(verdict)),
        )
        for verdict in rows.defer("detail", *SUBJECT_TEXTS)
    ]


def _where(row: Verdict | Judgement) -> str:
    if row.capture is not None:
        return row.capture.call_id
    return row.scenario.key if row.scenario else ""


def _passed(verdict: Verdict) -> str:
    """In words, of what passes or fails."""
    if verdict.capture is None:
        return ""
    return {True: "pass", False: "fail", None: "undecidable"}[verdict.passed]


def _on_boards(filters: ListFilters) -> QuerySet[Verdict]:
    return Verdict.objects.filter(
        narrowed(filters.shared),
        _epoch(filters.shared),
        _named(filters.exact),
        verdicts_of(filters.shared.own, _epoch_ids(filters.shared)),
        on_board=True,
        **_columns(filters.exact, ("model", "run")),
    )


def _calibrations(filters: ListFilters) -> QuerySet[Verdict]:
    golds = Revision.objects.filter(kind=RevisionKind.GOLD, key=filters.gold)
    start, after = filters.shared.between()
    times = {"judged_at__gte": start, "judged_at__lt": after}
    return Verdict.objects.filter(
        _epoch(filters.shared),
        gold_answer__isnull=False,
        gold_answer__in=list(golds.values_list("pk", flat=True)),
        **{name: moment for name, moment in times.items() if moment},
    )


def _epoch_ids(shared: BoardFilters) -> list[int] | None:
    """Those named; None for all."""
    if not shared.epoch:
        return None
    named = Epoch.objects.filter(digest__startswith=shared.epoch)
    return list(named.values_list("pk", flat=True))


def _named(exact: Mapping[str, str]) -> Q:
    """The persona's own verdicts and the comparisons in which it stands."""
    narrow = Q()
    contests = VerdictContestant.objects.filter(verdict=OuterRef("pk"))
    if persona := exact.get("persona"):
        contest = Exists(contests.filter(persona__spec=persona))
        narrow &= Q(persona__spec=persona) | Q(contest)
    if against := exact.get("against"):
        narrow &= Q(Exists(contests.filter(persona__spec=against)))
    return narrow


def _columns(exact: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    return {EXACT[name]: exact[name] for name in names if name in exact}


def _unjudged(filters: ListFilters) -> list[Listed]:
    shared = filters.shared
    found = Judgement.objects.filter(
        *(~Exists(_on_board(subject)) for subject in ("response", "capture", "pair", "chain")),
        ~Q(epoch__origin=Origin.TRIAL),
        narrowed(shared, "response__"),
        _epoch(shared),
        judgements_of(shared.own, _epoch_ids(shared)),
        state=JudgementState.UNJUDGED,
        **{
            f"response__{column.removeprefix('response__')}": value
            for column, value in _columns(filters.exact, ("persona", "model", "run")).items()
        },
    )
    rows = _page(found, filters).select_related("epoch", "scenario", *SUBJECTS_RELATED)
    return [_unjudged_line(row) for row in rows.defer(*SUBJECT_TEXTS)]


def _on_board(subject: str) -> QuerySet[Verdict]:
    """A verdict on the same subject. Nothing equals a subject that is null."""
    shared = {name: OuterRef(name) for name in (subject, "epoch", "repeat")}
    return Verdict.objects.filter(**shared, on_board=True)


def _unjudged_line(row: Judgement) -> Listed:
    answers = [answer.response for answer in answers_of(row)]
    return Listed(
        id=row.pk,
        spec=who_of(row),
        scenario=_where(row),
        run_id=row.capture.run.run_id if row.capture else answers[0].run.run_id if answers else "",
        mode=row.mode,
        origin=row.epoch.origin,
        epoch=row.epoch.short,
        total_nano=None,
        word="",
        is_joint=row.pair_id is not None or row.chain_id is not None,
        reason=row.unjudged_reason,
        flags=(),
        answered_at=max((one.answered_at for one in answers), default=row.planned_at),
        finished_at=row.finished_at or row.planned_at,
        repeat=row.repeat,
    )


def _page(found: QuerySet[Any], filters: ListFilters) -> QuerySet[Any]:
    if filters.before is not None:
        found = found.filter(pk__lt=filters.before)
    return found.order_by("-pk")[: PAGE_SIZE + 1]


def _epoch(shared: BoardFilters) -> Q:
    narrow = Q()
    if shared.epoch:
        narrow &= Q(epoch__digest__startswith=shared.epoch)
    if shared.mode:
        narrow &= Q(mode=shared.mode)
    if shared.judge:
        narrow &= Q(epoch__returned_model=shared.judge) | Q(
            epoch__returned_model="", epoch__requested_model=shared.judge
        )
    return narrow
