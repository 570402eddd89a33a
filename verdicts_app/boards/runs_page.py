"""The list of runs: what each holds, how far it is judged, what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum

from verdicts_app.models import (
    OPEN_STATES,
    Job,
    Judgement,
    JudgementState,
    LedgerEntry,
    Response,
    ResponseOutcome,
    Run,
    Verdict,
)

PAGE_SIZE = 50


@dataclass(frozen=True)
class RunRow:
    """`judged` counts answers with a live verdict, `unjudged` judgements without a number that
    no later one has replaced, `waiting` judgements that are open."""

    run_id: str
    created_at: datetime
    is_sample: bool
    responses: int
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
    found = Run.objects.order_by("-pk")
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


def _rows(runs: Sequence[Run]) -> tuple[RunRow, ...]:
    ids = [run.pk for run in runs]
    held = _by_run(
        Response.objects.filter(run__in=ids).order_by(),
        "run_id",
        responses=Count("pk"),
        failed=Count("pk", filter=Q(outcome=ResponseOutcome.FAILED)),
        unlinked=Count("pk", filter=Q(scenario__isnull=True)),
        last_upload=Max("uploaded_at"),
    )
    judged = _by_run(
        Verdict.objects.filter(run__in=ids, superseded_at__isnull=True).order_by(),
        "run_id",
        judged=Count("response", distinct=True),
    )
    unjudged = _by_run(
        still_unjudged().filter(response__run__in=ids).order_by(),
        "response__run_id",
        unjudged=Count("pk"),
    )
    waiting = _by_run(
        Judgement.objects.filter(response__run__in=ids, state__in=OPEN_STATES).order_by(),
        "response__run_id",
        waiting=Count("pk"),
    )
    spent = _by_run(
        LedgerEntry.objects.filter(judgement__job__run__in=ids).order_by(),
        "judgement__job__run_id",
        cost=Sum("cost_nano_usd"),
    )
    jobs = _last_jobs(ids)
    return tuple(
        RunRow(
            run_id=run.run_id,
            created_at=run.created_at,
            is_sample=run.is_sample,
            responses=held.get(run.pk, {}).get("responses", 0),
            judged=judged.get(run.pk, {}).get("judged", 0),
            unjudged=unjudged.get(run.pk, {}).get("unjudged", 0),
            waiting=waiting.get(run.pk, {}).get("waiting", 0),
            failed=held.get(run.pk, {}).get("failed", 0),
            unlinked=held.get(run.pk, {}).get("unlinked", 0),
            cost_nano_usd=spent.get(run.pk, {}).get("cost") or 0,
            last_upload=held.get(run.pk, {}).get("last_upload"),
            job=jobs.get(run.pk),
        )
        for run in runs
    )


def _by_run(rows: QuerySet[Any], column: str, **figures: Any) -> Mapping[int, Mapping[str, Any]]:
    grouped = rows.values(key=F(column)).annotate(**figures)
    return {row["key"]: row for row in grouped}


def _last_jobs(ids: Sequence[int]) -> dict[int, Job]:
    """The newest job of each run; one query, the last one of a run wins."""
    jobs = Job.objects.filter(run__in=ids).order_by("created_at")
    return {job.run_id: job for job in jobs if job.run_id is not None}
