"""How far a job is: everything its page and the API show, derived from its rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from verdicts_app.models import (
    Job,
    JobEvent,
    JobState,
    Judgement,
    JudgementState,
    LedgerEntry,
    LedgerState,
)

WHO = (
    "response__persona__spec",
    "pair__first__persona__spec",
    "chain__theme",
    "gold_answer__key",
)
RATE_OVER_S = 60
EVENTS_SHOWN = 50


@dataclass(frozen=True)
class PersonaProgress:
    """`spec` is the call type where captures are judged, the theme of a relay, the first
    contestant of a pair, the scenario of a gold standard."""

    spec: str
    judged: int
    unjudged: int
    waiting: int
    cancelled: int

    @property
    def total(self) -> int:
        return self.judged + self.unjudged + self.waiting + self.cancelled


@dataclass(frozen=True)
class Event:
    at: datetime
    text: str


@dataclass(frozen=True)
class JobProgress:
    """`waiting` are planned and not in anybody's hands, `in_hand` are claimed. Money in nano-USD:
    `spent` is what came of all requests, also lost ones (at their worst case) and those of
    unjudged; `on_the_way` is the worst case of requests without an answer yet. `unpriced`
    counts requests of a model without a known price. `rate` is judgements a minute over the
    last minute; `eta_s` None where nothing moves."""

    job_id: str
    state: str
    state_label: str
    state_detail: str
    retry_at: datetime | None
    total: int
    waiting: int
    in_hand: int
    judged: int
    unjudged: int
    cancelled: int
    requests: int
    lost_requests: int
    unpriced: int
    spent_nano_usd: int
    on_the_way_nano_usd: int
    budget_nano_usd: int | None
    estimate_nano_usd: int | None
    rate: float
    eta_s: int | None
    personas: tuple[PersonaProgress, ...]
    call_types: frozenset[str]
    reasons: tuple[tuple[str, int], ...]
    events: tuple[Event, ...]

    @property
    def finished(self) -> int:
        return self.judged + self.unjudged + self.cancelled

    @property
    def known_cost_nano_usd(self) -> int | None:
        """What was spent; None where no request so far has a known price."""
        return None if self.unpriced and not self.spent_nano_usd else self.spent_nano_usd

    @property
    def percent(self) -> float:
        return 100 * self.finished / self.total if self.total else 100.0

    @property
    def is_over(self) -> bool:
        return self.state in (JobState.DONE, JobState.CANCELLED)


Counts = list[tuple[str, str, str, int]]


def job_progress(job: Job) -> JobProgress:
    """Five queries, whatever the size of the job."""
    of_calls = _counts_of_calls(job)
    counts = sorted(_counts_of_answers(job) + of_calls)
    by_state = Counter[str]()
    for _, state, _, number in counts:
        by_state[state] += number
    money = _money(job)
    rate = _rate(job)
    left = by_state[JudgementState.PLANNED] + by_state[JudgementState.CLAIMED]
    moves = job.state == JobState.RUNNING and rate > 0
    return JobProgress(
        job_id=str(job.pk),
        state=job.state,
        state_label=JobState(job.state).label,
        state_detail=job.state_detail,
        retry_at=job.retry_at,
        total=by_state.total(),
        waiting=by_state[JudgementState.PLANNED],
        in_hand=by_state[JudgementState.CLAIMED],
        judged=by_state[JudgementState.JUDGED],
        unjudged=by_state[JudgementState.UNJUDGED],
        cancelled=by_state[JudgementState.CANCELLED],
        requests=money["requests"],
        lost_requests=money["lost"],
        unpriced=money["unpriced"],
        spent_nano_usd=money["spent"],
        on_the_way_nano_usd=money["on_the_way"],
        budget_nano_usd=job.budget_nano_usd,
        estimate_nano_usd=job.estimate_nano_usd,
        rate=rate,
        eta_s=round(left / rate * 60) if moves else None,
        personas=_personas(counts),
        call_types=frozenset(call_type for call_type, *_ in of_calls),
        reasons=_reasons(counts),
        events=_events(job),
    )


def _counts_of_answers(job: Job) -> Counts:
    """Judgements by persona or what stands in its place, state and reason."""
    # All states there are, by which the index finds the few rows without a call type.
    of_answers = Judgement.objects.filter(
        job=job, state__in=JudgementState.values, call_type=""
    ).order_by()
    rows = of_answers.annotate(who=Coalesce(*WHO)).values_list("who", "state", "unjudged_reason")
    return list(rows.annotate(Count("pk")))


def _counts_of_calls(job: Job) -> Counts:
    """Judgements of captures by call type, state and reason, as they stand in an index."""
    of_calls = Judgement.objects.filter(job=job).exclude(call_type="").order_by()
    rows = of_calls.values("state", "call_type", "unjudged_reason").annotate(number=Count("pk"))
    return list(rows.values_list("call_type", "state", "unjudged_reason", "number"))


def _personas(counts: Counts) -> tuple[PersonaProgress, ...]:
    by_spec: dict[str, Counter[str]] = {}
    for spec, state, _, number in counts:
        by_spec.setdefault(spec, Counter())[state] += number
    return tuple(
        PersonaProgress(
            spec=spec,
            judged=states[JudgementState.JUDGED],
            unjudged=states[JudgementState.UNJUDGED],
            waiting=states[JudgementState.PLANNED] + states[JudgementState.CLAIMED],
            cancelled=states[JudgementState.CANCELLED],
        )
        for spec, states in by_spec.items()
    )


def _reasons(counts: Counts) -> tuple[tuple[str, int], ...]:
    reasons = Counter[str]()
    for _, _, reason, number in counts:
        if reason:
            reasons[reason] += number
    return tuple(reasons.most_common())


def _money(job: Job) -> dict[str, int]:
    closed = ~Q(state=LedgerState.OPEN)
    money = _requests(job).aggregate(
        requests=Count("pk"),
        lost=Count("pk", filter=Q(state=LedgerState.LOST)),
        unpriced=Count("pk", filter=closed & Q(cost_nano_usd=None)),
        spent=Sum("cost_nano_usd", filter=closed),
        on_the_way=Sum("cost_nano_usd", filter=~closed),
    )
    return {name: value or 0 for name, value in money.items()}


def _requests(job: Job) -> QuerySet[LedgerEntry]:
    return LedgerEntry.objects.filter(judgement__job=job)


def _rate(job: Job) -> float:
    since = timezone.now() - timedelta(seconds=RATE_OVER_S)
    done = Judgement.objects.filter(
        job=job,
        state__in=[JudgementState.JUDGED, JudgementState.UNJUDGED],
        finished_at__gte=since,
    )
    return done.count() * 60 / RATE_OVER_S


def _events(job: Job) -> tuple[Event, ...]:
    events = JobEvent.objects.filter(job=job).order_by("-id")[:EVENTS_SHOWN]
    return tuple(Event(event.at, event.text) for event in events)
