"""One job as the run page draws it: bars, figures, the sentence under the heading."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from django.utils import timezone

from verdicts_app.boards.empty_answers import empty_answers_of
from verdicts_app.boards.flips import Flips, flips_of
from verdicts_app.boards.reasons import Reason, reason_in_words
from verdicts_app.boards.run_page import retries_of
from verdicts_app.models import Job, JobState
from verdicts_app.pages.job_words import held_words, job_sentence, next_try
from verdicts_app.templatetags.figures import count, money, rounded
from verdicts_app.work.progress import JobProgress, PersonaProgress, job_progress

WIDE, SMALL = 1000, 160
"""Widths of the view boxes of the job's bar and of a persona's."""


@dataclass(frozen=True)
class BarPart:
    kind: str
    x: str
    width: str


@dataclass(frozen=True)
class PersonaRow:
    spec: str
    bar: tuple[BarPart, ...]
    judged: int
    unjudged: int
    held: int
    waiting: int


@dataclass(frozen=True)
class ReasonRow:
    key: str
    reason: Reason
    answers: int


@dataclass(frozen=True)
class JobPanel:
    """`held` waits for somebody or something (paused, budget, judge), `waiting` for its turn.
    `forecast` and `per_verdict` are None until something was spent, and where no price is known.
    `noun` names one of what it judges; `call_types` are those of the rows that stand for captured
    calls."""

    job: Job
    progress: JobProgress
    is_open: bool
    held: int
    waiting: int
    done: int
    share: Fraction | None
    held_words: str
    ends_at: datetime | None
    forecast_nano_usd: int | None
    per_verdict_nano_usd: int | None
    retries: int
    retry_share: Fraction | None
    flips: Flips | None
    empty: int
    bar: tuple[BarPart, ...]
    personas: tuple[PersonaRow, ...]
    reasons: tuple[ReasonRow, ...]
    sentence: str
    noun: str
    call_types: frozenset[str]

    @property
    def shows_rows(self) -> bool:
        """Call types that are done stand in the table of captured calls, with what came of them."""
        return self.is_open or self.noun != "call"

    @property
    def next_try(self) -> datetime | None:
        return next_try(self.progress)

    @property
    def left_ms(self) -> int | None:
        return None if self.progress.eta_s is None else self.progress.eta_s * 1000

    @property
    def bar_words(self) -> str:
        p = self.progress
        return (
            f"{p.judged} judged, {p.unjudged} unjudged, {self.held} held, "
            f"{self.waiting} waiting, of {p.total}"
        )

    @property
    def retry_price_nano_usd(self) -> int | None:
        cost = self.per_verdict_nano_usd
        return None if cost is None else cost * self.progress.unjudged

    @property
    def retry_button(self) -> str:
        price = self.retry_price_nano_usd
        about = f", about {money(price)}" if price is not None else ""
        return f"Retry {count(self.progress.unjudged)}{about}"

    @property
    def state_and_tenths(self) -> str:
        """What screen readers are told of: the state, and every tenth of the way."""
        return f"{self.job.state}-{int((self.share or 0) * 10)}"


def job_panel(job: Job) -> JobPanel:
    progress = job_progress(job)
    moves = job.state == JobState.RUNNING
    held = 0 if moves else progress.waiting
    waiting = progress.in_hand + (progress.waiting if moves else 0)
    done = progress.judged + progress.unjudged
    cost = progress.known_cost_nano_usd
    per_verdict = round(Fraction(cost, done)) if done and cost is not None else None
    forecast = _forecast(progress, per_verdict)
    retries, requests = retries_of(job)
    noun = _noun(progress)
    return JobPanel(
        job=job,
        progress=progress,
        is_open=not progress.is_over,
        held=held,
        waiting=waiting,
        done=done,
        share=Fraction(done, progress.total) if progress.total else None,
        held_words=held_words(progress),
        ends_at=timezone.now() + timedelta(seconds=progress.eta_s) if progress.eta_s else None,
        forecast_nano_usd=forecast,
        per_verdict_nano_usd=per_verdict,
        retries=retries,
        retry_share=Fraction(retries, requests) if requests else None,
        flips=flips_of(job, judged=progress.judged),
        empty=empty_answers_of(job, judged=progress.judged),
        bar=_bar(
            WIDE,
            progress.total,
            judged=progress.judged,
            unjudged=progress.unjudged,
            parked=held,
            waiting=waiting,
        ),
        personas=tuple(_persona(row, moves) for row in progress.personas),
        reasons=tuple(ReasonRow(key, reason_in_words(key), n) for key, n in progress.reasons),
        sentence=job_sentence(progress, forecast, noun),
        noun=noun,
        call_types=progress.call_types,
    )


def _noun(progress: JobProgress) -> str:
    if not progress.call_types:
        return "answer"
    return "call" if len(progress.call_types) == len(progress.personas) else "item"


def _forecast(progress: JobProgress, per_verdict: int | None) -> int | None:
    """What will be spent in the end, at the mean cost so far; the estimate while there is none."""
    if per_verdict is None:
        return progress.estimate_nano_usd
    left = progress.waiting + progress.in_hand
    return progress.spent_nano_usd + per_verdict * left


def _persona(row: PersonaProgress, moves: bool) -> PersonaRow:
    held = 0 if moves else row.waiting
    waiting = row.waiting - held
    return PersonaRow(
        spec=row.spec,
        bar=_bar(
            SMALL,
            row.total,
            judged=row.judged,
            unjudged=row.unjudged,
            parked=held,
            waiting=waiting,
        ),
        judged=row.judged,
        unjudged=row.unjudged,
        held=held,
        waiting=waiting,
    )


def _bar(width: int, total: int, **parts: int) -> tuple[BarPart, ...]:
    return tuple(_parts(width, total, parts.items())) if total else ()


def _parts(width: int, total: int, parts: Iterable[tuple[str, int]]) -> Iterable[BarPart]:
    before = 0
    for kind, number in parts:
        if number:
            x, wide = Fraction(width * before, total), Fraction(width * number, total)
            yield BarPart(kind, rounded(x, 1).replace(",", ""), rounded(wide, 1).replace(",", ""))
        before += number
