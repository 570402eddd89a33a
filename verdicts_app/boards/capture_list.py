"""The captured calls behind a figure: keyset pages, uploaded last first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from judgeweb.judging.modes.calls import DIMENSIONS
from verdicts_app.boards.call_filters import OK, CallFilters
from verdicts_app.boards.rates import LABELS
from verdicts_app.boards.runs_page import still_unjudged
from verdicts_app.models import (
    OPEN_STATES,
    Capture,
    Judgement,
    Verdict,
    VerdictCheck,
)

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class CheckCell:
    """One dimension of a verdict; `ok` None: undecidable."""

    key: str
    ok: bool | None
    worst_offender: str


@dataclass(frozen=True, slots=True)
class ListedCall:
    """`state` is "pass", "fail", "undecidable", "unjudged", "waiting" or "open" (not asked for).
    `checks` has None where a dimension has no verdict; `reason` says why it is unjudged."""

    id: int
    call_id: str
    call_type: str
    run_id: str
    at: datetime
    at_is_upload: bool
    worker: str
    parsed_ok: bool
    failure_kind: str
    verdict_id: int | None
    epoch: str
    origin: str
    state: str
    reason: str
    checks: tuple[CheckCell | None, ...]

    @property
    def labelled(self) -> tuple[tuple[str, CheckCell | None], ...]:
        """Each dimension's check under its short name."""
        return tuple(zip((LABELS[key] for key in DIMENSIONS), self.checks, strict=True))

    @property
    def offender(self) -> str:
        """The line quoted first, what was made up before what is misshapen."""
        quotes = [check.worst_offender for check in reversed(self.checks) if check]
        return next((quote for quote in quotes if quote), "")


@dataclass(frozen=True)
class CaptureList:
    filters: CallFilters
    rows: tuple[ListedCall, ...]
    older: int | None


def capture_list(filters: CallFilters) -> CaptureList:
    """Four queries."""
    found = _narrowed(filters)
    if filters.before is not None:
        found = found.filter(pk__lt=filters.before)
    columns = (
        *("id", "call_id", "call_type", "run__run_id", "at", "uploaded_at", "model"),
        *("parsed_ok", "failure_kind", "verdict_id"),
    )
    rows = list(found.order_by("-pk").values(*columns)[: PAGE_SIZE + 1])
    shown = rows[:PAGE_SIZE]
    verdicts = _verdicts([row["verdict_id"] for row in shown])
    states = _without_verdict([row["id"] for row in shown if row["verdict_id"] is None])
    return CaptureList(
        filters,
        tuple(_row(row, verdicts.get(row["verdict_id"]), states.get(row["id"])) for row in shown),
        older=shown[-1]["id"] if len(rows) > PAGE_SIZE else None,
    )


def newest_verdict(filters: CallFilters) -> QuerySet[Verdict]:
    """Of the capture of an outer query, the verdict shown: the newest that counts on a board, in
    the epoch and by the judge asked for."""
    narrow = Q()
    if filters.epoch:
        narrow &= Q(epoch__digest__startswith=filters.epoch)
    if filters.judge:
        narrow &= Q(epoch__returned_model=filters.judge) | Q(
            epoch__returned_model="", epoch__requested_model=filters.judge
        )
    of_capture = Verdict.objects.filter(narrow, capture=OuterRef("pk"), on_board=True)
    return of_capture.order_by("repeat", "-id")


def _narrowed(filters: CallFilters) -> QuerySet[Capture]:
    verdict = newest_verdict(filters)
    found = Capture.objects.filter(filters.of_captures()).annotate(
        verdict_id=Subquery(verdict.values("id")[:1])
    )
    if filters.state in OK:
        passed = OK[filters.state]
        found = found.annotate(passed=Subquery(verdict.values("passed")[:1])).filter(
            verdict_id__isnull=False, **_is("passed", passed)
        )
    elif filters.state == "unjudged":
        tried = still_unjudged().filter(capture=OuterRef("pk"))
        found = found.filter(Exists(tried), verdict_id__isnull=True)
    elif filters.state == "open":
        found = found.filter(verdict_id__isnull=True)
    elif filters.epoch or filters.judge:
        found = found.filter(verdict_id__isnull=False)
    for key, outcome in filters.dimensions.items():
        check = VerdictCheck.objects.filter(
            verdict=OuterRef("verdict_id"), key=key, **_is("ok", OK[outcome])
        )
        found = found.filter(Exists(check))
    return found


def _is(column: str, value: bool | None) -> dict[str, bool]:
    return {f"{column}__isnull": True} if value is None else {column: value}


@dataclass(frozen=True, slots=True)
class _Verdict:
    passed: bool | None
    epoch: str
    origin: str
    checks: tuple[CheckCell | None, ...]


def _verdicts(ids: Sequence[int | None]) -> dict[int, _Verdict]:
    wanted = [pk for pk in ids if pk is not None]
    checks: dict[int, dict[str, CheckCell]] = {pk: {} for pk in wanted}
    columns = ("verdict_id", "key", "ok", "worst_offender")
    for pk, key, ok, offender in VerdictCheck.objects.filter(verdict_id__in=wanted).values_list(
        *columns
    ):
        checks[pk][key] = CheckCell(key, ok, offender)
    found = Verdict.objects.filter(pk__in=wanted).values_list(
        "pk", "passed", "epoch__digest", "origin"
    )
    return {
        pk: _Verdict(passed, digest[:6], origin, tuple(map(checks[pk].get, DIMENSIONS)))
        for pk, passed, digest, origin in found
    }


def _without_verdict(ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Capture -> its state and reason, by the last judgement asked for."""
    rows = Judgement.objects.filter(capture_id__in=ids).order_by("pk")
    states = {}
    for capture, state, reason in rows.values_list("capture_id", "state", "unjudged_reason"):
        if state in OPEN_STATES:
            states[capture] = ("waiting", "")
        elif reason:
            states[capture] = ("unjudged", reason)
    return states


def _row(
    row: Mapping[str, Any], verdict: _Verdict | None, tried: tuple[str, str] | None
) -> ListedCall:
    state, reason = tried or ("open", "")
    if verdict:
        state = next(name for name, passed in OK.items() if passed is verdict.passed)
    return ListedCall(
        id=row["id"],
        call_id=row["call_id"],
        call_type=row["call_type"],
        run_id=row["run__run_id"],
        at=row["at"] or row["uploaded_at"],
        at_is_upload=row["at"] is None,
        worker=row["model"],
        parsed_ok=row["parsed_ok"],
        failure_kind=row["failure_kind"],
        verdict_id=row["verdict_id"],
        epoch=verdict.epoch if verdict else "",
        origin=verdict.origin if verdict else "",
        state=state,
        reason=reason,
        checks=verdict.checks if verdict else (None,) * len(DIMENSIONS),
    )
