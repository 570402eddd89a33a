"""The state of a job in words: what is known, then what comes next."""

from datetime import datetime

from django.utils import timezone

from verdicts_app.models import JobState
from verdicts_app.templatetags.figures import count, duration, money
from verdicts_app.work.progress import JobProgress


def job_sentence(progress: JobProgress, forecast_nano_usd: int | None, noun: str) -> str:
    """`forecast_nano_usd` is what the job will have spent in the end; `noun` names one of what
    it judges."""
    waiting = count(progress.waiting, f"{noun} waits,{noun}s wait")
    match progress.state:
        case JobState.PAUSED:
            return f"Paused. {waiting}; requests under way are still counted."
        case JobState.PARKED:
            return f"The budget is reached. {waiting} and {_lose(progress.waiting)} nothing."
        case JobState.WAITING:
            return f"Waiting for a judge. {waiting} and {_lose(progress.waiting)} nothing."
        case JobState.CANCELLED:
            return (
                f"Cancelled. {count(progress.judged)} of {count(progress.total)} were judged"
                f"{_spent(progress)}."
            )
        case JobState.DONE:
            return _done(progress, noun)
    return _running(progress, forecast_nano_usd)


def _lose(number: int) -> str:
    return "loses" if number == 1 else "lose"


def _done(progress: JobProgress, noun: str) -> str:
    spent = _spent(progress)
    if not progress.total:
        return "There was nothing to judge."
    if not progress.unjudged:
        return f"{count(progress.judged, f'{noun} is,{noun}s are')} judged{spent}."
    return (
        f"{count(progress.judged)} of {count(progress.total)} are judged, "
        f"{count(progress.unjudged)} unjudged{spent}."
    )


def _spent(progress: JobProgress) -> str:
    """The end of a sentence."""
    cost = progress.known_cost_nano_usd
    return "; the price is not known" if cost is None else f", for {money(cost)}"


def _running(progress: JobProgress, forecast_nano_usd: int | None) -> str:
    if progress.eta_s is None:
        if progress.finished:
            return "Nothing was judged in the last minute. It goes on as soon as the judge answers."
        return "It starts as soon as a worker takes it."
    about = f"About {duration(max(progress.eta_s, 1) * 1000)} to go."
    budget = progress.budget_nano_usd
    if forecast_nano_usd is None or budget is None:
        return about
    if forecast_nano_usd <= budget:
        within = f"inside its budget of {money(budget)}"
    else:
        within = f"above its budget of {money(budget)}: the rest will wait"
    return f"{about} At this rate it ends at {money(forecast_nano_usd)}, {within}."


def held_words(progress: JobProgress) -> str:
    """Beside the number of answers that wait for somebody or something."""
    match progress.state:
        case JobState.PAUSED:
            return "paused"
        case JobState.PARKED:
            return "held, the budget is reached"
    at = next_try(progress)
    if at is None:
        return "waiting for a judge"
    return f"waiting for a judge, next try {timezone.localtime(at):%H:%M}"


def next_try(progress: JobProgress) -> datetime | None:
    """When a waiting job is tried again; None where that is due, or up to somebody."""
    at = progress.retry_at
    return at if at is not None and at > timezone.now() else None
