"""Calibrating a judge: the price is shown first, then the button that spends it carries it."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render

from judgeweb.access.roles import Capability, needs
from judgeweb.judging.modes import SOLO_MODES
from rubrics_app.selectors import scenarios_with_gold
from verdicts_app.pages.instrument_fields import InstrumentForm
from verdicts_app.pages.judge_run import agreed, rubric_choices
from verdicts_app.tasks import wake_workers
from verdicts_app.templatetags.figures import count, money
from verdicts_app.work.plan import JudgeRequest, Price, plan_job

FIELDS = {
    "budget_usd": "budget",
    "rubric": "rubric",
    "repeats": "repeats",
    "models": "model",
    "scenarios": "scenario",
}
"""Fields of a refused request by their names here; the others keep their own."""


class CalibrateForm(InstrumentForm):
    scenario = forms.MultipleChoiceField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.golds = scenarios_with_gold()
        rubrics = rubric_choices(SOLO_MODES)
        self.fields["scenario"].choices = [(key, key) for key in self.golds]  # type: ignore[attr-defined]
        self.fields["rubric"].choices = [("", "the default of the mode"), *rubrics]  # type: ignore[attr-defined]


def first_values(request: HttpRequest) -> dict[str, Any]:
    """The defaults, with what the link that led here names."""
    return {
        "scenario": request.GET.getlist("scenario"),
        "rubric": "",
        "model": request.GET.get("judge") or settings.JUDGE_MODEL,
        "repeats": "3",
        "budget": settings.JUDGE_DEFAULT_BUDGET_USD,
        "rejudge": "on",
    }


@needs(Capability.OPERATE)
def calibrate(request: HttpRequest) -> HttpResponseBase:
    form = CalibrateForm(_values(request))
    wanted = _wanted(form)
    found = form.priced(wanted, FIELDS) if wanted else None
    if request.method == "POST" and wanted and found and found.judgements:
        if found.judgements <= agreed(request):
            return _start(request, wanted)
        return _answer(request, form, found, has_grown=True, status=409)
    return _answer(request, form, found, status=422 if form.errors else 200)


def _values(request: HttpRequest) -> Any:
    if request.method == "POST":
        return request.POST
    return request.GET if "model" in request.GET else first_values(request)


def _wanted(form: CalibrateForm) -> JudgeRequest | None:
    """None where nothing can be asked: the form says why, or no gold standard is published."""
    if not form.golds or not form.is_valid():
        return None
    chosen = form.cleaned_data
    return JudgeRequest(
        golds=chosen["scenario"] or form.golds,
        rubric_key=chosen["rubric"] or None,
        **form.judges,
        repeats=chosen["repeats"],
        budget_usd=chosen["budget"],
        rejudge=chosen["rejudge"],
        **form.instrument,
    )


def _start(request: HttpRequest, wanted: JudgeRequest) -> HttpResponseBase:
    assert isinstance(request.user, User)
    planned = plan_job(request=wanted, user=request.user, actor=request.user.get_username())
    transaction.on_commit(wake_workers)
    messages.success(request, f"{count(planned.planned, 'verdict,verdicts')} to come.")
    return redirect("job", planned.job.pk)


def _answer(
    request: HttpRequest,
    form: CalibrateForm,
    found: Price | None,
    *,
    has_grown: bool = False,
    status: int,
) -> HttpResponse:
    context = {
        "form": form,
        "price": found,
        "button": _button_words(found) if found else "",
        "budget_nano_usd": form.budget_nano_usd,
        "has_grown": has_grown,
    }
    return render(request, "verdicts/calibrate.html", context, status=status)


def _button_words(found: Price) -> str:
    """The button carries what it spends."""
    what = count(found.judgements, "verdict,verdicts")
    if found.estimate_nano_usd is None:
        return f"Calibrate: {what}, price not known"
    return f"Calibrate: {what}, about {money(found.estimate_nano_usd)}"
