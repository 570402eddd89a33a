"""What people do to a job. What costs or loses something is confirmed first: the same page
serves as a dialog where htmx asks for it."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from judgeweb.access.roles import Capability, needs
from judgeweb.judging.errors import CaseRefused
from verdicts_app.boards.reasons import REASONS, reason_in_words
from verdicts_app.boards.run_page import unjudged_of
from verdicts_app.models import Job, Judgement
from verdicts_app.pages.job_panel import JobPanel, job_panel
from verdicts_app.tasks import wake_workers
from verdicts_app.templatetags.figures import count, money
from verdicts_app.work import control

TOO_LATE = "Nothing changed: the job had moved on meanwhile."


@needs(Capability.READ)
def job(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    """A job of a run is shown with its run."""
    found = _job(job_id)
    if found.run is not None:
        return redirect(f"{_run_url(found)}?job={found.pk}")
    panel = job_panel(found)
    golds = Judgement.objects.filter(job=found, gold_answer__isnull=False).order_by("pk")
    context = {
        "panel": panel,
        "panels": [panel],
        "gold": golds.values_list("gold_answer__key", flat=True).first(),
    }
    return render(request, "verdicts/job.html", context)


@needs(Capability.READ)
def unjudged(request: HttpRequest, job_id: UUID, reason: str) -> HttpResponse:
    found = _job(job_id)
    context = {
        "job": found,
        "reason": reason_in_words(reason if reason in REASONS else reason[:40]),
        "rows": unjudged_of(found, reason),
    }
    return render(request, "verdicts/unjudged.html", context)


@require_POST
@needs(Capability.OPERATE)
def pause(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    return _done(request, job_id, control.pause_job, "Paused. Requests under way still count.")


@require_POST
@needs(Capability.OPERATE)
def resume(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    return _done(request, job_id, control.resume_job, "The job goes on.")


@needs(Capability.OPERATE)
def cancel(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    if request.method == "POST":
        return _done(request, job_id, control.cancel_job, "Cancelled. What is judged stays.")
    panel = job_panel(_job(job_id))
    left = panel.held + panel.waiting
    return _confirm(
        request,
        panel,
        title=f"Cancel the {count(left, f'{panel.noun} that waits,{panel.noun}s that wait')}?",
        text=f"{count(panel.done)} of {count(panel.progress.total)} are done and stay. "
        f"{money(panel.progress.spent_nano_usd)} are spent. Judging the run again takes up "
        "what is left.",
        button=f"Cancel the {count(left)}",
        keep="Go on judging",
        is_danger=True,
    )


@needs(Capability.OPERATE)
def retry(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    if request.method == "POST":
        found = _job(job_id)
        again = control.retry_unjudged(job_id=job_id, actor=_actor(request))
        transaction.on_commit(wake_workers)
        text = f"{count(again, 'answer is,answers are')} tried again." if again else TOO_LATE
        messages.add_message(request, messages.SUCCESS if again else messages.INFO, text)
        return redirect(_back(found))
    panel = job_panel(_job(job_id))
    number = count(panel.progress.unjudged, f"unjudged {panel.noun},unjudged {panel.noun}s")
    price = panel.retry_price_nano_usd
    about = f" for about {money(price)}" if price is not None else ""
    return _confirm(
        request,
        panel,
        title=f"Retry {number}{about}?",
        text="Raw replies so far stay. What is judged now takes its place on the boards; the "
        "budget of the job holds.",
        button=panel.retry_button,
        keep="Leave them unjudged",
    )


class BudgetForm(forms.Form):
    budget = forms.DecimalField(
        max_digits=12,
        decimal_places=4,
        min_value=Decimal("0.0001"),
        error_messages={"min_value": "Give more than 0.", "required": "Give a number."},
    )


@needs(Capability.OPERATE)
def budget(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    panel = job_panel(_job(job_id))
    spent = panel.job.committed_nano_usd
    form = BudgetForm(request.POST or None, initial={"budget": _dollars(panel.job)})
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data["budget"]
        if int(wanted * 10**9) >= spent:
            return _change_budget(request, panel.job, wanted)
        form.add_error(
            "budget", f"{money(spent)} is spent. Give {money(spent)} or more, or pause the job."
        )
    return _confirm(
        request,
        panel,
        title="Change the budget",
        text=f"{money(panel.progress.spent_nano_usd)} of {money(panel.job.budget_nano_usd)} "
        "are spent. No request is sent that could pass the cap.",
        button="Set the budget",
        keep="Keep it",
        form=form,
        status=422 if form.errors else 200,
    )


def _change_budget(request: HttpRequest, job: Job, wanted: Decimal) -> HttpResponseBase:
    try:
        changed = control.change_budget(job_id=job.pk, budget_usd=wanted, actor=_actor(request))
    except CaseRefused as refused:
        messages.error(request, refused.message)
        return redirect(_back(job))
    transaction.on_commit(wake_workers)
    text = f"The budget is {money(int(wanted * 10**9))} now." if changed else TOO_LATE
    messages.add_message(request, messages.SUCCESS if changed else messages.INFO, text)
    return redirect(_back(job))


def _done(
    request: HttpRequest, job_id: UUID, act: Callable[..., bool], words: str
) -> HttpResponseBase:
    found = _job(job_id)
    changed = act(job_id=job_id, actor=_actor(request))
    transaction.on_commit(wake_workers)
    messages.info(request, words if changed else TOO_LATE)
    return redirect(_back(found))


def _confirm(
    request: HttpRequest, panel: JobPanel, *, status: int = 200, **words: Any
) -> HttpResponse:
    context = {"job": panel.job, "action": request.path, "back": _back(panel.job), **words}
    is_dialog = bool(request.htmx) and request.method == "GET"  # type: ignore[attr-defined]
    template = "verdicts/_confirm_dialog.html" if is_dialog else "verdicts/confirm.html"
    return render(request, template, context, status=status)


def _job(job_id: UUID) -> Job:
    return get_object_or_404(Job.objects.select_related("run"), pk=job_id)


def _actor(request: HttpRequest) -> str:
    return request.user.get_username()


def _dollars(job: Job) -> str:
    return f"{Decimal(job.budget_nano_usd or 0) / 10**9:f}"


def _run_url(job: Job) -> str:
    assert job.run is not None
    return reverse("run", args=[job.run.run_id])


def _back(job: Job) -> str:
    return _run_url(job) if job.run is not None else reverse("job", args=[job.pk])
