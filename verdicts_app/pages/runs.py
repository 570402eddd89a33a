"""The list of runs, and one run with the work on it."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from judgeweb.access.roles import Capability, needs
from verdicts_app.boards.lengths import lengths
from verdicts_app.boards.run_page import RunPage, run_page
from verdicts_app.boards.runs_page import runs_page
from verdicts_app.models import Job, JobState, Run
from verdicts_app.pages.calls import calls_context
from verdicts_app.pages.cursors import cursor
from verdicts_app.pages.job_panel import JobPanel, job_panel
from verdicts_app.templatetags.figures import count

POLL_S = {JobState.RUNNING: 2, JobState.WAITING: 5}
"""Seconds between two looks at a job that moves by itself; others are looked at rarely."""
POLL_RARELY_S = 10
LENGTHS_AT_ONCE = 5000
"""Verdicts that are read while the run's page is made (about a tenth of a second); the lengths of
more come after it."""
RUN_KEYS = [("p", "pause or resume")]


@needs(Capability.READ)
def runs(request: HttpRequest) -> HttpResponse:
    page = runs_page(cursor(request, "before"))
    return render(request, "verdicts/runs.html", {"page": page})


@never_cache
@needs(Capability.READ)
def run(request: HttpRequest, run_id: str) -> HttpResponse:
    context = _context(request, run_id)
    page = context["page"]
    context |= calls_context(page.run) | _lengths(page)
    return render(request, "verdicts/run.html", context)


def _lengths(page: RunPage) -> dict[str, Any]:
    held = page.judged + page.judged_captures + page.imported
    if held > LENGTHS_AT_ONCE:
        return {"lengths_later": True}
    return {"lengths": lengths(page.run)} if held else {}


@needs(Capability.READ)
def run_lengths(request: HttpRequest, run_id: str) -> HttpResponse:
    """How length goes with what the judge gives: a part of the run's page, or a page."""
    found = Run.objects.filter(run_id=run_id).first()
    if found is None:
        raise Http404(f"There is no run {run_id!r}.")
    name = "_run_lengths" if request.htmx else "run_lengths"  # type: ignore[attr-defined]
    return render(request, f"verdicts/{name}.html", {"lengths": lengths(found)})


@never_cache
@needs(Capability.READ)
def run_progress(request: HttpRequest, run_id: str) -> HttpResponseBase:
    """The part of the run page that moves; without htmx, the page itself."""
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("run", run_id)
    context = _context(request, run_id)
    if request.GET.get("said", context["said"]) != context["said"]:
        context["announce"] = _announcement(context["panels"])
    return render(request, "verdicts/_run_progress.html", context)


def _context(request: HttpRequest, run_id: str) -> dict[str, Any]:
    page = run_page(run_id)
    if page is None:
        raise Http404(f"There is no run {run_id!r}.")
    chosen = _chosen(request, page)
    panels = [job_panel(job) for job in _shown(page, chosen)]
    return {
        "page": page,
        "panels": panels,
        "shown_job": chosen.pk if chosen else None,
        "sentence": _sentence(page, panels),
        "said": "_".join(panel.state_and_tenths for panel in panels),
        "poll_s": _poll_s(page),
        "page_keys": RUN_KEYS,
    }


def _chosen(request: HttpRequest, page: RunPage) -> Job | None:
    """The job that the URL names, if it is one of this run."""
    try:
        job_id = UUID(request.GET.get("job", ""))
    except ValueError:
        return None
    return next((job for job in page.jobs if job.pk == job_id), None)


def _shown(page: RunPage, chosen: Job | None) -> list[Job]:
    """Every open job, and the chosen one; where none is open or chosen, the newest."""
    shown = [job for job in page.jobs if job == chosen or job in page.open_jobs]
    return shown or list(page.jobs[:1])


def _sentence(page: RunPage, panels: list[JobPanel]) -> str:
    if len(panels) == 1:
        return panels[0].sentence
    if panels:
        return f"{count(len(page.open_jobs), 'job is,jobs are')} at work on this run."
    held = [
        count(number, words)
        for number, words in (
            (page.responses, "answer,answers"),
            (page.captures, "captured call,captured calls"),
        )
        if number
    ]
    judged = page.judged + page.judged_captures
    place = " here" if page.imported else ""
    here = f"{count(judged)} judged{place}" if judged else f"none judged{place} yet"
    made = count(page.imported, "imported verdict,imported verdicts")
    if not held:
        return f"{made}." if page.imported else "This run holds nothing yet."
    return f"{' and '.join(held)}, {here}{f'; {made}' if page.imported else ''}."


def _poll_s(page: RunPage) -> int | None:
    """None once every job is over."""
    return min(
        (POLL_S.get(JobState(job.state), POLL_RARELY_S) for job in page.open_jobs), default=None
    )


def _announcement(panels: list[JobPanel]) -> str:
    return " ".join(
        f"{count(panel.done)} of {count(panel.progress.total)} done. {panel.sentence}"
        for panel in panels
    )
