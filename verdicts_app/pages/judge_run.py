"""Judging a run: the price is shown first, then the button that spends it carries it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render

from judgeweb.access.roles import Capability, needs
from judgeweb.judging.modes import MODES, mode_named
from rubrics_app.models import RevisionKind, Rubric
from rubrics_app.selectors import newest_revisions, rubric_document
from verdicts_app.intake import linking
from verdicts_app.models import Capture, CaptureSum, Response, Run
from verdicts_app.pages.instrument_fields import InstrumentForm
from verdicts_app.tasks import wake_workers
from verdicts_app.templatetags.figures import count, money
from verdicts_app.work.plan import JudgeRequest, Price, plan_job
from verdicts_app.work.request import CALLS

FIELDS = {
    "budget_usd": "budget",
    "rubric": "rubric",
    "mode": "mode",
    "call_type": "call_type",
    "repeats": "repeats",
    "models": "model",
}
"""Fields of a refused request by their names here; the others keep their own."""
ORDERS = (("2", "both, at twice the price"), ("1", "one"))


class JudgeForm(InstrumentForm):
    call_type = forms.ChoiceField(required=False)
    mode = forms.ChoiceField(required=False)
    opponent = forms.CharField(required=False, max_length=200)
    orders = forms.ChoiceField(required=False, choices=ORDERS)
    use_gold = forms.BooleanField(required=False)

    def __init__(self, *args: Any, held: "Held", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.held = held
        types = [(call_type, call_type) for call_type in held.call_types]
        self.fields["call_type"].choices = [("", "everything in the run"), *types]  # type: ignore[attr-defined]
        modes = [(name, mode_named(name).label) for name in MODES]
        rubrics = rubric_choices(MODES if held.answers else (CALLS,))
        self.fields["mode"].choices = [("", "as each scenario says"), *modes]  # type: ignore[attr-defined]
        self.fields["rubric"].choices = [("", "the default of the mode"), *rubrics]  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Held:
    """What a run holds to be judged. Calls alone have no scenario, and so no choice of mode,
    opponent or gold standard."""

    call_types: Sequence[str]
    answers: bool


def _held(run_id: str) -> Held:
    of_run = CaptureSum.objects.filter(run__run_id=run_id).order_by("call_type")
    call_types = list(of_run.values_list("call_type", flat=True).distinct())
    answers = not call_types or Response.objects.filter(run__run_id=run_id).exists()
    return Held(call_types, answers)


def rubric_choices(modes: Collection[str] = MODES) -> list[tuple[str, str]]:
    """Key and name of every rubric in use that is for one of these modes."""
    archived = Rubric.objects.filter(is_archived=True).values("key")
    return [
        (revision.key, f"{document.name}, revision {revision.number}")
        for revision in newest_revisions(RevisionKind.RUBRIC).exclude(key__in=archived)
        if (document := rubric_document(revision)).mode in modes
    ]


def first_values() -> dict[str, str]:
    return {
        "mode": "",
        "rubric": "",
        "orders": "2",
        "model": settings.JUDGE_MODEL,
        "repeats": "1",
        "budget": settings.JUDGE_DEFAULT_BUDGET_USD,
        "use_gold": "on",
    }


@needs(Capability.OPERATE)
def judge_run(request: HttpRequest, run_id: str) -> HttpResponseBase:
    if not Run.objects.filter(run_id=run_id).exists():
        raise Http404(f"There is no run {run_id!r}.")
    linking.link_unlinked()
    form = JudgeForm(_values(request), held=_held(run_id))
    wanted = _wanted(form, run_id)
    found = form.priced(wanted, FIELDS) if wanted else None
    if request.method == "POST" and wanted and found and found.judgements:
        if found.judgements <= agreed(request):
            return _start(request, wanted, run_id)
        return _answer(request, run_id, form, found, has_grown=True, status=409)
    status = 422 if form.errors else 200
    return _answer(request, run_id, form, found, status=status)


def _values(request: HttpRequest) -> Any:
    """What was chosen; at first, the defaults, with "judge again" where the link says so."""
    if request.method == "POST":
        return request.POST
    if "model" in request.GET:
        return request.GET
    return first_values() | {k: v for k, v in request.GET.items() if k in JudgeForm.base_fields}


def _wanted(form: JudgeForm, run_id: str) -> JudgeRequest | None:
    if not form.is_valid():
        return None
    chosen = form.cleaned_data
    return JudgeRequest(
        run_id=run_id,
        mode=chosen["mode"] or None,
        call_type=chosen["call_type"] or None,
        opponent=chosen["opponent"].strip() or None,
        rubric_key=chosen["rubric"] or None,
        **form.judges,
        orders=int(chosen["orders"] or 2),
        repeats=chosen["repeats"],
        budget_usd=chosen["budget"],
        rejudge=chosen["rejudge"],
        use_gold=chosen["use_gold"],
        **form.instrument,
    )


def agreed(request: HttpRequest) -> int:
    """How many judgements the button named that was pressed."""
    text = request.POST.get("agreed", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


def _start(request: HttpRequest, wanted: JudgeRequest, run_id: str) -> HttpResponseBase:
    assert isinstance(request.user, User)
    planned = plan_job(request=wanted, user=request.user, actor=request.user.get_username())
    transaction.on_commit(wake_workers)
    messages.success(request, f"{count(planned.planned, _words(wanted))} to be judged.")
    return redirect("run", run_id)


def _answer(
    request: HttpRequest,
    run_id: str,
    form: JudgeForm,
    found: Price | None,
    *,
    has_grown: bool = False,
    status: int,
) -> HttpResponse:
    wanted = _wanted(form, run_id) if found else None
    noun = _noun(wanted) if wanted else "answer"
    context = {
        "run_id": run_id,
        "form": form,
        "price": found,
        "noun": noun,
        "button": button_words(found, noun) if found else "",
        "budget_nano_usd": form.budget_nano_usd,
        "has_grown": has_grown,
    }
    return render(request, "verdicts/judge_run.html", context, status=status)


def _words(wanted: JudgeRequest) -> str:
    noun = _noun(wanted)
    return f"{noun},{noun}s"


def _noun(wanted: JudgeRequest) -> str:
    """What one of those is called that are judged."""
    if wanted.wants_pairs or wanted.wants_relays:
        return "pair" if wanted.wants_pairs else "relay"
    if not Capture.objects.filter(run__run_id=wanted.run_id).exists():
        return "answer"
    has_answers = Response.objects.filter(run__run_id=wanted.run_id).exists()
    if not wanted.wants_captures:
        return "answer"
    return "item" if wanted.wants_responses and has_answers else "call"


def button_words(found: Price, noun: str = "answer") -> str:
    """The button carries what it spends."""
    what = count(found.judgements, f"{noun},{noun}s")
    if found.estimate_nano_usd is None:
        return f"Judge {what}, price not known"
    return f"Judge {what}, about {money(found.estimate_nano_usd)}"
