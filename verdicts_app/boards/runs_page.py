"""The list of runs: what each holds, how far it is judged, what it cost."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Count,
    Exists,
    ExpressionWrapper,
    F,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Sum,
)

from verdicts_app.models import (
    OPEN_STATES,
    PLAYGROUND_RUN,
    CaptureSum,
    DraftingRequest,
    Job,
    Judgement,
    JudgementState,
    Origin,
    Response,
    ResponseOutcome,
    Run,
    Verdict,
)

PAGE_SIZE = 50


@dataclass(frozen=True)
class RunRow:
    """`judged` counts answers and captured calls with a live verdict, `unjudged` judgements without
    one that no later judgement has replaced, `waiting` judgements that are open."""

    run_id: str
    created_at: datetime
    is_sample: bool
    responses: int
    captures: int
    judged: int
    unjudged: int
    waiting: int
    failed: int
    unlinked: int
    cost_nano_usd: int
    last_upload: datetime | None
    job: Job | None


@dataclass(frozen=True)
class RunsPage:
    """A keyset page, newest run first. `older` is the cursor of the next page."""

    rows: tuple[RunRow, ...]
    older: int | None
    is_first: bool


def runs_page(before: int | None = None) -> RunsPage:
    found = Run.objects.exclude(run_id=PLAYGROUND_RUN).order_by("-pk")
    if before is not None:
        found = found.filter(pk__lt=before)
    runs = list(found[: PAGE_SIZE + 1])
    shown = runs[:PAGE_SIZE]
    return RunsPage(
        rows=_rows(shown),
        older=shown[-1].pk if len(runs) > PAGE_SIZE else None,
        is_first=before is None,
    )


def replaced() -> Exists:
    """Whether a later judgement of the same identity stands beside an unjudged one."""
    later = Judgement.objects.filter(identity=OuterRef("identity"), pk__gt=OuterRef("pk"))
    return Exists(later.exclude(state=JudgementState.CANCELLED))


def still_unjudged() -> QuerySet[Judgement]:
    return Judgement.objects.filter(~replaced(), state=JudgementState.UNJUDGED)


PENDING = [*OPEN_STATES, JudgementState.UNJUDGED]


def pending() -> QuerySet[Judgement]:
    """What is open or unjudged. The order of the alternatives spares looking for later judgements
    of what is open."""
    is_pending = Q(state__in=OPEN_STATES) | ~replaced()
    return Judgement.objects.filter(is_pending, state__in=PENDING).order_by()


def pending_calls(runs: Iterable[int]) -> Iterator[tuple[int, str, str, int]]:
    """Run, call type, state and number."""
    ids = list(runs)
    of_runs, named = calls_of_runs(pending().exclude(call_type=""), ids)
    columns = ("call_type", "state")
    yield from of_runs.values_list("job__run_id", *columns).annotate(Count("pk"))
    yield from named.values_list("capture__run_id", *columns).annotate(Count("pk"))


def calls_of_runs(
    found: QuerySet[Any], ids: Sequence[int], prefix: str = ""
) -> tuple[QuerySet[Any], QuerySet[Any]]:
    """What belongs to judgements of these runs' calls. A job judges the calls of its run, or calls
    that were named one by one: only of these few, the captures are looked at."""
    of_runs = found.filter(**{f"{prefix}job__run__in": ids})
    # The sum keeps SQLite from starting with the captures of the runs, which are the many.
    of_capture = ExpressionWrapper(F(f"{prefix}capture__run_id") + 0, IntegerField())
    named = found.filter(**{f"{prefix}job__run__isnull": True}).alias(of_capture=of_capture)
    return of_runs, named.filter(of_capture__in=ids)


def with_live_verdict() -> QuerySet[Response]:
    """Imported verdicts are not this installation's."""
    live = Verdict.objects.filter(response=OuterRef("pk"), superseded_at__isnull=True)
    own = live.exclude(origin=Origin.IMPORTED)
    return Response.objects.filter(Exists(own)).order_by()


class Counts(dict[str, Any]):
    """What was not counted is 0."""

    def __missing__(self, name: str) -> int:
        return 0


def _rows(runs: Sequence[Run]) -> tuple[RunRow, ...]:
    ids = [run.pk for run in runs]
    counts, spent, jobs = _counts(ids), _spent(ids), _last_jobs(ids)
    return tuple(_row(run, counts[run.pk], spent[run.pk], jobs.get(run.pk)) for run in runs)


def _row(run: Run, counts: Counts, spent: int, job: Job | None) -> RunRow:
    return RunRow(
        run_id=run.run_id,
        created_at=run.created_at,
        is_sample=run.is_sample,
        responses=counts["responses"],
        captures=int(counts["captures"]),
        judged=counts["judged"] + int(counts["judged_calls"]),
        unjudged=counts["unjudged"] + counts["unjudged_calls"],
        waiting=counts["waiting"] + counts["waiting_calls"],
        failed=counts["failed"],
        unlinked=counts["unlinked"],
        cost_nano_usd=spent,
        last_upload=_last_upload(counts),
        job=job,
    )


def _counts(ids: Sequence[int]) -> Mapping[int, Counts]:
    tables = (_held(ids), _judged(ids), _work(ids), _work_on_calls(ids), _calls(ids))
    return {
        pk: Counts({name: value for table in tables for name, value in table.get(pk, {}).items()})
        for pk in ids
    }


def _judged(ids: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
    return _by_run(with_live_verdict().filter(run__in=ids), "run_id", judged=Count("pk"))


def _work(ids: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
    return _by_run(
        Judgement.objects.filter(response__run__in=ids).exclude(epoch__origin=Origin.TRIAL),
        "response__run_id",
        unjudged=Count("pk", filter=Q(~replaced(), state=JudgementState.UNJUDGED)),
        waiting=Count("pk", filter=Q(state__in=OPEN_STATES)),
    )


def _calls(ids: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
    return _by_run(
        CaptureSum.objects.filter(run__in=ids),
        "run_id",
        captures=Sum("captures"),
        judged_calls=Sum("judged"),
        last_call_upload=Max("last_upload"),
    )


def _spent(ids: Sequence[int]) -> Mapping[int, int]:
    """In 1e-9 USD, on judging and on drafting contracts."""
    # A job keeps the sum of its ledger.
    judging = _by_run(Job.objects.filter(run__in=ids), "run_id", cost=Sum("committed_nano_usd"))
    drafting = _by_run(
        DraftingRequest.objects.filter(drafting__run__in=ids),
        "drafting__run_id",
        cost=Sum("cost_nano_usd"),
    )
    parts = (judging, drafting)
    return {pk: sum(part.get(pk, {}).get("cost") or 0 for part in parts) for pk in ids}


def _work_on_calls(ids: Sequence[int]) -> Mapping[int, Mapping[str, int]]:
    found: dict[int, Counts] = defaultdict(Counts)
    for run, _, state, number in pending_calls(ids):
        name = "waiting_calls" if state in OPEN_STATES else "unjudged_calls"
        found[run][name] += number
    return found


def _last_upload(counts: Mapping[str, Any]) -> datetime | None:
    uploads = (counts.get("last_upload"), counts.get("last_call_upload"))
    return max(filter(None, uploads), default=None)


def _held(ids: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
    return _by_run(
        Response.objects.filter(run__in=ids).exclude(outcome=ResponseOutcome.ABSENT),
        "run_id",
        responses=Count("pk"),
        failed=Count("pk", filter=Q(outcome=ResponseOutcome.FAILED)),
        unlinked=Count("pk", filter=Q(scenario__isnull=True)),
        last_upload=Max("uploaded_at"),
    )


def _by_run(rows: QuerySet[Any], column: str, **figures: Any) -> Mapping[int, Mapping[str, Any]]:
    grouped = rows.order_by().values(key=F(column)).annotate(**figures)
    return {row["key"]: row for row in grouped}


def _last_jobs(ids: Sequence[int]) -> dict[int, Job]:
    """The newest job of each run; one query, the last one of a run wins."""
    jobs = Job.objects.filter(run__in=ids).order_by("created_at")
    return {job.run_id: job for job in jobs if job.run_id is not None}
