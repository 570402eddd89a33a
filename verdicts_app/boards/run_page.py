"""What a run holds besides its jobs: answers, what has no scenario, what failed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, Sum
from django.db.models.functions import Coalesce

from judgeweb.judging.modes import MODES, mode_named
from judgeweb.judging.rubric_rules import CHECKED
from verdicts_app.boards.runs_page import still_unjudged, with_live_verdict
from verdicts_app.models import (
    CaptureSum,
    Epoch,
    Job,
    JobState,
    Judgement,
    LedgerEntry,
    Origin,
    Response,
    ResponseOutcome,
    Run,
    Verdict,
)

LISTED = 200
"""Failed runs and unjudged answers listed on a page; the rest is counted."""

PROBE = "probe"
"""The prompt of the request that tries the judge before a job starts."""

FINISHED = {JobState.DONE, JobState.CANCELLED}


@dataclass(frozen=True)
class Unlinked:
    scenario_key: str
    answers: int


@dataclass(frozen=True)
class FailedRun:
    spec: str
    scenario_key: str
    source_id: str
    failure: str
    answered_at: datetime


@dataclass(frozen=True)
class RunPage:
    run: Run
    responses: int
    answered: int
    judged: int
    failed: int
    captures: int
    judged_captures: int
    imported: int
    unlinked: tuple[Unlinked, ...]
    failed_runs: tuple[FailedRun, ...]
    jobs: tuple[Job, ...]
    open_jobs: tuple[Job, ...]
    modes: Mapping[UUID, str]

    @property
    def jobs_by_mode(self) -> tuple[tuple[Job, str], ...]:
        """Each job with its modes in words."""
        return tuple((job, self.modes.get(job.pk, "")) for job in self.jobs)

    @property
    def holds_anything(self) -> bool:
        return bool(self.responses or self.captures)

    @property
    def unlinked_answers(self) -> int:
        return sum(group.answers for group in self.unlinked)

    @property
    def to_judge(self) -> int:
        """Linked answers and captured calls without any live verdict."""
        answers = max(self.answered - self.judged - self.unlinked_answers, 0)
        return answers + self.captures - self.judged_captures


def run_page(run_id: str) -> RunPage | None:
    """None where no run has the id."""
    run = Run.objects.filter(run_id=run_id).first()
    if run is None:
        return None
    responses = Response.objects.filter(run=run).exclude(outcome=ResponseOutcome.ABSENT).order_by()
    counts = responses.aggregate(
        responses=Count("pk"), failed=Count("pk", filter=Q(outcome=ResponseOutcome.FAILED))
    )
    calls = CaptureSum.objects.filter(run=run).aggregate(
        captures=Coalesce(Sum("captures"), 0), judged=Coalesce(Sum("judged"), 0)
    )
    jobs = tuple(Job.objects.filter(run=run).select_related("created_by").order_by("-created_at"))
    return RunPage(
        run=run,
        responses=counts["responses"],
        answered=counts["responses"] - counts["failed"],
        judged=with_live_verdict().filter(run=run).count(),
        failed=counts["failed"],
        captures=int(calls["captures"]),
        judged_captures=int(calls["judged"]),
        imported=_imported(run),
        unlinked=_unlinked(run),
        failed_runs=_failed_runs(run) if counts["failed"] else (),
        jobs=jobs,
        open_jobs=tuple(job for job in jobs if job.state not in FINISHED),
        modes=_modes(run) if len(jobs) > 1 else {},
    )


def _modes(run: Run) -> dict[UUID, str]:
    """By job what it judges in, in words. Whether it judges calls, an index tells."""
    judgements = Judgement.objects.filter(job__run=run).order_by()
    answers = judgements.filter(call_type="").values_list("job", "mode").distinct()
    calls = Judgement.objects.filter(job=OuterRef("pk")).exclude(call_type="")
    judging_calls = Job.objects.filter(Exists(calls), run=run).values_list("pk", flat=True)
    found = {*answers, *product(judging_calls, CHECKED)}
    labels: dict[UUID, list[str]] = {}
    for mode in MODES:
        for pk in (pk for pk, name in found if name == mode):
            labels.setdefault(pk, []).append(mode_named(mode).label)
    return {pk: "; ".join(names) for pk, names in labels.items()}


def _imported(run: Run) -> int:
    """By epoch: they are the few, and mostly there are none."""
    epochs = list(Epoch.objects.filter(origin=Origin.IMPORTED).values_list("pk", flat=True))
    imported = Verdict.objects.filter(run=run, epoch_id__in=epochs, superseded_at__isnull=True)
    return imported.count() if epochs else 0


def _unlinked(run: Run) -> tuple[Unlinked, ...]:
    groups = (
        Response.objects.filter(run=run, scenario__isnull=True, outcome=ResponseOutcome.ANSWERED)
        .order_by("scenario_key")
        .values_list("scenario_key")
        .annotate(answers=Count("pk"))
    )
    return tuple(Unlinked(key, answers) for key, answers in groups)


def _failed_runs(run: Run) -> tuple[FailedRun, ...]:
    rows = Response.objects.filter(run=run, outcome=ResponseOutcome.FAILED).order_by("pk")
    fields = ("persona__spec", "scenario_key", "source_id", "failure", "answered_at")
    return tuple(FailedRun(*row) for row in rows.values_list(*fields)[:LISTED])


@dataclass(frozen=True)
class UnjudgedRow:
    """Of a captured call: its call type and call_id in the places of spec and scenario."""

    judgement_id: int
    spec: str
    scenario_key: str
    reason: str
    detail: str


def unjudged_of(job: Job, reason: str) -> tuple[UnjudgedRow, ...]:
    """The judgements of the job that ended for this reason."""
    rows = still_unjudged().filter(job=job, unjudged_reason=reason).order_by("pk")
    named = rows.annotate(
        who=Coalesce(
            "response__persona__spec",
            "capture__call_type",
            "pair__first__persona__spec",
            "chain__theme",
            "gold_answer__key",
        ),
        where=Coalesce(
            "response__scenario_key",
            "capture__call_id",
            "pair__first__scenario_key",
            "chain__sm__scenario_key",
            "gold_answer__key",
        ),
    )
    fields = ("pk", "who", "where", "unjudged_reason", "unjudged_detail")
    return tuple(UnjudgedRow(*row) for row in named.values_list(*fields)[:LISTED])


def retries_of(job: Job) -> tuple[int, int]:
    """How many requests of the job came after the first of their prompt, of how many."""
    asked = LedgerEntry.objects.filter(judgement__job=job).exclude(prompt=PROBE)
    prompts = asked.values("prompt").annotate(
        requests=Count("pk"), firsts=Count("judgement", distinct=True)
    )
    counts = prompts.order_by().values_list("requests", "firsts")
    asked_in_all = sum(requests for requests, _ in counts)
    return asked_in_all - sum(firsts for _, firsts in counts), asked_in_all
