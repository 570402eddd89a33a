"""The verdicts of seed B out of the database, as one file says them.

One call type and one epoch: that of the latest verdict, unless model or rubric is named. What is
unjudged, or undecidable in a dimension, is left out and counted beside.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from judgeweb.judging.types import Check, DecidedBy, EvidenceState, Flag
from verdicts_app.exports.dialects import camel_export, index_document
from verdicts_app.exports.seed import (
    CallVerdict,
    CallVerdicts,
    call_verdict,
    file_text,
    seed_export,
)
from verdicts_app.models import (
    Capture,
    Epoch,
    Judgement,
    JudgementState,
    Verdict,
    VerdictCheck,
)
from verdicts_app.work.request import CALLS, chunks

DIALECTS: Mapping[str, Callable[[CallVerdicts], Any]] = {
    "seed": seed_export,
    "index": index_document,
    "camel": camel_export,
}


class NothingToExport(Exception):
    """Says in words what there is none of."""


class NoCaptures(NothingToExport):
    """The run holds no capture of the call type."""


class NoVerdicts(NothingToExport):
    """Captures there are, but none has a verdict that was asked for."""


@dataclass(frozen=True)
class Wanted:
    """`model` is the judge's, as asked or as returned; `rubric` a key or `key@revision`.
    `captures` limits it to these ids; `base_digest` to what was planned under these pins."""

    run_id: str
    call_type: str
    model: str = ""
    rubric: str = ""
    captures: Collection[int] | None = None
    base_digest: str = ""


class Left(NamedTuple):
    """A capture that could not be judged."""

    call_id: str
    reason: str
    detail: str
    judgement: int


@dataclass(frozen=True)
class Export:
    """`calls` as it is exported. `undecided` are judged, but undecidable in a dimension.
    `elsewhere` counts captures that have a verdict under the same pins in another epoch only: the
    provider answered under another model name."""

    calls: CallVerdicts
    epoch: Epoch
    verdict_ids: tuple[int, ...]
    undecided: tuple[str, ...]
    unjudged: tuple[Left, ...]
    elsewhere: int

    def text(self, dialect: str = "seed") -> str:
        return file_text(DIALECTS[dialect](self.calls))


class _Row(NamedTuple):
    pk: int
    capture_id: int
    call_id: str
    source_run_id: str
    judged_at: datetime


def export(wanted: Wanted) -> Export:
    """Raise NoCaptures or NoVerdicts."""
    epoch = _epoch(wanted)
    rows, elsewhere = _rows(wanted, epoch)
    decided: list[CallVerdict] = []
    exported: list[_Row] = []
    undecided: list[str] = []
    for row, checks in _with_checks(rows):
        verdict = call_verdict(row.call_id, checks)
        if verdict is None:
            undecided.append(row.call_id)
        else:
            decided.append(verdict)
            exported.append(row)
    calls = CallVerdicts(
        call_type=wanted.call_type,
        run_id=_source_run(exported or rows) or wanted.run_id,
        judged_at=max(row.judged_at for row in exported or rows),
        judge_model=epoch.returned_model or epoch.requested_model,
        verdicts=tuple(decided),
    )
    return Export(
        calls=calls,
        epoch=epoch,
        verdict_ids=tuple(row.pk for row in exported),
        undecided=tuple(undecided),
        unjudged=unjudged(wanted, epoch.base_digest, without={row.capture_id for row in rows}),
        elsewhere=elsewhere,
    )


def _verdicts(wanted: Wanted) -> QuerySet[Verdict]:
    verdicts = Verdict.objects.filter(
        run__run_id=wanted.run_id, mode=CALLS, on_board=True, capture__call_type=wanted.call_type
    )
    if wanted.base_digest:
        verdicts = verdicts.filter(epoch__base_digest=wanted.base_digest)
    if wanted.model:
        asked = Q(epoch__requested_model=wanted.model)
        verdicts = verdicts.filter(asked | Q(epoch__returned_model=wanted.model))
    if wanted.rubric:
        key, _, number = wanted.rubric.rpartition("@")
        is_numbered = bool(key) and number.isascii() and number.isdigit()
        verdicts = verdicts.filter(
            epoch__rubric_revision__key=key if is_numbered else wanted.rubric
        )
        if is_numbered:
            verdicts = verdicts.filter(epoch__rubric_revision__number=int(number[:9]))
    return verdicts


def _epoch(wanted: Wanted) -> Epoch:
    """Of the latest verdict that a reply was read for; of any where there is none."""
    newest = _verdicts(wanted).order_by("-judged_at", "-pk")
    asked = newest.exclude(flags__contains=Flag.EMPTY_ANSWER)
    found = asked.select_related("epoch").first() or newest.select_related("epoch").first()
    if found is not None:
        return found.epoch
    captures = Capture.objects.filter(run__run_id=wanted.run_id, call_type=wanted.call_type)
    where = f"call_type={wanted.call_type} in run {wanted.run_id}"
    if not captures.exists():
        raise NoCaptures(f"No captures for {where}")
    named = " of that model and rubric" if wanted.model or wanted.rubric else ""
    raise NoVerdicts(f"No verdicts{named} yet for {where}")


def _rows(wanted: Wanted, epoch: Epoch) -> tuple[list[_Row], int]:
    """One per capture in upload order: the first repeat. What needed no reply fits every epoch of
    the same pins. Also how many captures have a verdict in another epoch alone."""
    verdicts = _verdicts(wanted).filter(epoch__base_digest=epoch.base_digest)
    fields = ("pk", "capture_id", "capture__call_id", "capture__source_run_id", "judged_at")
    found: dict[int, _Row] = {}
    others: set[int] = set()
    ordered = verdicts.order_by("capture_id", "repeat", "-pk")
    for *values, epoch_id, flags in ordered.values_list(*fields, "epoch_id", "flags").iterator():
        row = _Row._make(values)
        if wanted.captures is not None and row.capture_id not in wanted.captures:
            continue
        if epoch_id == epoch.pk or Flag.EMPTY_ANSWER in flags.split(","):
            found.setdefault(row.capture_id, row)
        else:
            others.add(row.capture_id)
    if not found:
        raise NoVerdicts(f"No verdicts yet for call_type={wanted.call_type}")
    return list(found.values()), len(others - found.keys())


def _with_checks(rows: list[_Row]) -> Iterator[tuple[_Row, list[Check]]]:
    for chunk in chunks(rows):
        checks: dict[int, list[Check]] = {row.pk: [] for row in chunk}
        stored = VerdictCheck.objects.filter(verdict_id__in=list(checks)).order_by("position")
        for check in stored.iterator():
            checks[check.verdict_id].append(check_of(check))
        for row in chunk:
            yield row, checks[row.pk]


def check_of(row: VerdictCheck) -> Check:
    """As the core gave it, but for the place of its quote."""
    return Check(
        key=row.key,
        ok=row.ok,
        rationale=row.rationale,
        worst_offender=row.worst_offender,
        decided_by=DecidedBy(row.decided_by),
        evidence_state=EvidenceState(row.evidence_state),
    )


def _source_run(rows: list[_Row]) -> str:
    """The run that most captures name, the first of several."""
    named = Counter(row.source_run_id for row in rows if row.source_run_id)
    return named.most_common(1)[0][0] if named else ""


def unjudged(
    wanted: Wanted, base_digest: str, *, without: Collection[int] = ()
) -> tuple[Left, ...]:
    """In upload order, as each was tried last."""
    tried = Judgement.objects.filter(
        capture__run__run_id=wanted.run_id,
        capture__call_type=wanted.call_type,
        epoch__base_digest=base_digest,
        state=JudgementState.UNJUDGED,
    )
    fields = ("capture_id", "capture__call_id", "unjudged_reason", "unjudged_detail", "pk")
    latest: dict[int, Left] = {}
    for capture_id, *left in tried.order_by("capture_id", "pk").values_list(*fields):
        is_wanted = wanted.captures is None or capture_id in wanted.captures
        if is_wanted and capture_id not in without:
            latest[capture_id] = Left._make(left)
    return tuple(latest.values())
