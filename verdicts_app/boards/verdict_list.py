"""The verdicts, or the unjudged, behind a figure of a board: keyset pages, newest first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet

from verdicts_app.boards.cells import narrowed
from verdicts_app.boards.filters import BoardFilters, Problem, Query
from verdicts_app.models import Judgement, JudgementState, Verdict

PAGE_SIZE = 50
EXACT = {
    "persona": "persona__spec",
    "model": "response__model",
    "run": "run__run_id",
}
"""Parameters that name one thing, with the column of a verdict they narrow."""


@dataclass(frozen=True)
class ListFilters:
    """The filters shared with the boards, and what names one thing alone.

    `is_unjudged` lists judgements without a verdict; `before` is the id a page starts below.
    """

    shared: BoardFilters
    exact: Mapping[str, str]
    is_unjudged: bool = False
    before: int | None = None
    problems: tuple[Problem, ...] = ()

    @classmethod
    def from_query(cls, query: Query) -> "ListFilters":
        """`day` is short for one day as `from` and `to`."""
        pairs = _Pairs(query)
        shared = BoardFilters.from_query(pairs)
        texts = {name: str(query.get(name) or "").strip() for name in (*EXACT, "before")}
        exact = {name: texts[name] for name in EXACT if texts[name] and "\0" not in texts[name]}
        before = texts["before"]
        problems = shared.problems
        if before and not (before.isascii() and before.isdigit() and len(before) < 19):
            problems = (*problems, Problem("before", before[:80], "the id of a verdict"))
            before = ""
        return cls(
            shared=shared,
            exact=exact,
            is_unjudged=str(query.get("state")) == "unjudged",
            before=int(before) if before else None,
            problems=problems,
        )

    def to_query(self, **changes: Any) -> str:
        changed = replace(self, **changes)
        pairs = [*changed.exact.items()]
        if changed.is_unjudged:
            pairs.append(("state", "unjudged"))
        if changed.before:
            pairs.append(("before", str(changed.before)))
        return "&".join(part for part in (changed.shared.to_query(), urlencode(pairs)) if part)


class _Pairs:
    """The query as the boards read it: a day stands for both ends, a persona is no switch."""

    def __init__(self, query: Query) -> None:
        self._query = query

    def get(self, key: str, /) -> Any:
        if key == "persona":
            return None
        if key in ("from", "to"):
            return self._query.get(key) or self._query.get("day")
        return self._query.get(key)

    def getlist(self, key: str, /) -> list[str]:
        return self._query.getlist(key)


@dataclass(frozen=True)
class Listed:
    """One line. `total_nano` is None for an unjudged one, which has a `reason`."""

    id: int
    spec: str
    scenario: str
    run_id: str
    mode: str
    origin: str
    epoch: str
    total_nano: int | None
    reason: str
    flags: tuple[str, ...]
    answered_at: datetime
    finished_at: datetime


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
    shared = filters.shared
    found = Verdict.objects.filter(
        narrowed(shared),
        _epoch(shared),
        on_board=True,
        **{EXACT[name]: value for name, value in filters.exact.items()},
    )
    columns = (
        *("id", "persona__spec", "scenario__key", "run__run_id", "mode", "origin"),
        *("epoch__digest", "total_nano", "flags", "answered_at", "judged_at"),
    )
    return [
        Listed(
            *(pk, spec or "", scenario or "", run or "", mode, origin, digest[:6], total, ""),
            flags=tuple(filter(None, flags.split(","))),
            answered_at=answered,
            finished_at=judged,
        )
        for pk, spec, scenario, run, mode, origin, digest, total, flags, answered, judged in _page(
            found, filters
        ).values_list(*columns)
    ]


def _unjudged(filters: ListFilters) -> list[Listed]:
    shared = filters.shared
    on_board = Verdict.objects.filter(
        response=OuterRef("response"),
        epoch=OuterRef("epoch"),
        repeat=OuterRef("repeat"),
        on_board=True,
    )
    found = Judgement.objects.filter(
        ~Exists(on_board),
        narrowed(shared, "response__"),
        _epoch(shared),
        state=JudgementState.UNJUDGED,
        **{
            f"response__{EXACT[name].removeprefix('response__')}": value
            for name, value in filters.exact.items()
        },
    )
    columns = (
        *("id", "response__persona__spec", "scenario__key", "response__run__run_id", "mode"),
        *("epoch__origin", "epoch__digest", "unjudged_reason", "response__answered_at"),
        "finished_at",
    )
    return [
        Listed(
            *(pk, spec, scenario or "", run, mode, origin, digest[:6], None, reason, ()),
            answered_at=answered,
            finished_at=finished,
        )
        for pk, spec, scenario, run, mode, origin, digest, reason, answered, finished in _page(
            found, filters
        ).values_list(*columns)
    ]


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
