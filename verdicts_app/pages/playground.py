"""The playground: one judgement by hand. The prompt and its price come first; the button that
spends it carries it."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from judgeweb.access.roles import Capability, needs
from judgeweb.judging.errors import CaseRefused, DocumentInvalid
from rubrics_app.models import RevisionKind, Rubric, Scenario
from rubrics_app.selectors import newest_revision
from rubrics_app.trials import snapshot_of, stored_snapshot
from verdicts_app.boards.trial_page import TrialOutcome, form_values, trial_outcome
from verdicts_app.intake.judgement_data.answers import Taken
from verdicts_app.intake.judgement_data.patch import scenario_named
from verdicts_app.intake.playground import Pasted, pasted_responses, store_pasted
from verdicts_app.models import PLAYGROUND_RUN, Response
from verdicts_app.pages.playground_form import DRAFT, TrialForm, as_field, first_values
from verdicts_app.tasks import wake_workers
from verdicts_app.templatetags.figures import money
from verdicts_app.work.judge_config import is_configured
from verdicts_app.work.request import JudgeRequest
from verdicts_app.work.trials import (
    NO_JUDGE,
    TrialPreview,
    check_patch,
    named,
    preview,
    start,
)

POLL_S = 2
STANDING_POLL_S = 10


@needs(Capability.OPERATE)
def playground(request: HttpRequest) -> HttpResponseBase:
    if request.method != "POST":
        return _answer(request, TrialForm(first_values() | request.GET.dict()))
    form = TrialForm(request.POST)
    act = request.POST.get("act")
    if act == "fields":
        return _answer(request, form)
    shown = _preview(form) if form.is_valid() else None
    if form.errors:
        return _answer(request, form, status=422)
    if act != "judge":
        return _answer(request, form, shown=shown)
    if shown and request.POST.get("agreed") != shown.sameness:
        return _answer(request, form, shown=shown, has_changed=True, status=409)
    return _judge(request, form, shown)


@needs(Capability.OPERATE)
def trial(request: HttpRequest, judgement_id: int) -> HttpResponse:
    """What was chosen and pasted, and what became of it."""
    found = _found(judgement_id)
    form = TrialForm(first_values() | {"use_gold": ""} | form_values(found.judgement))
    return _answer(request, form, outcome=found)


@needs(Capability.OPERATE)
def outcome(request: HttpRequest, judgement_id: int) -> HttpResponse:
    context = _outcome_context(_found(judgement_id))
    if context["trial"].is_over:
        context["announce"] = "The trial is over."
    return render(request, "verdicts/_trial_outcome.html", context)


def _found(judgement_id: int) -> TrialOutcome:
    found = trial_outcome(judgement_id)
    if found is None:
        raise Http404(f"There is no trial {judgement_id}.")
    return found


# --- what is asked for --------------------------------------------------------------------------


def _preview(form: TrialForm) -> TrialPreview | None:
    """None for what needs no model, which costs nothing. What refuses it stands on the form."""
    try:
        request = _request(form, snapshot_of)
        if form.is_patch:
            check_patch(request, form.cleaned_data["scenario"])
            return None
        return preview(request, _responses(form, _scenario(form)), form.theme)
    except CaseRefused as refused:
        _refuse(form, refused)
    return None


def _refuse(form: TrialForm, refused: CaseRefused) -> None:
    field = as_field(refused.field)
    text = refused.message if field else f"{refused.field}: {refused.message}"
    form.add_error(field if field in form.fields else None, text)


def _request(form: TrialForm, snapshot: Any) -> JudgeRequest:
    given = form.cleaned_data
    chosen = str(given["rubric"])
    is_draft = chosen.startswith(DRAFT)
    return JudgeRequest(
        mode=form.kind,
        rubric_key=None if is_draft else chosen or None,
        model=given["model"].strip() or None,
        orders=int(given["orders"] or 2),
        budget_usd=given["budget"],
        rejudge=given["rejudge"],
        use_gold=form.is_solo and given["use_gold"],
        claims=form.may_go_by_claims and given["claims"],
        shuffle=form.may_be_shuffled and given["shuffle"],
        is_trial=True,
        trial_rubric=_snapshot(chosen.removeprefix(DRAFT), snapshot) if is_draft else None,
    )


def _snapshot(key: str, snapshot: Any) -> Any:
    draft = Rubric.objects.filter(key=key, is_archived=False).first()
    if draft is None:
        raise CaseRefused("rubric", f"there is no draft {key!r}", key)
    try:
        return snapshot(draft)
    except DocumentInvalid as error:
        raise CaseRefused("rubric", f"the draft cannot be judged with: {error}", key) from error


def _scenario(form: TrialForm) -> Scenario:
    key = form.cleaned_data["scenario"]
    scenario = Scenario.objects.filter(key=key, is_archived=False).first()
    if scenario is None or newest_revision(RevisionKind.SCENARIO, key) is None:
        raise CaseRefused("scenario", f"no published scenario is called {key!r}", key)
    return scenario


def _responses(form: TrialForm, scenario: Scenario) -> list[Response]:
    """In order, the stored ones as they are. The answers of a relay are all of the playground:
    one that is stored keeps out of relays that were never run."""
    given = form.cleaned_data
    places = range(1, form.answers_wanted + 1)
    chosen = {
        place: _stored(given[f"stored_{place}"], scenario)
        for place in places
        if given[f"stored_{place}"]
    }
    pasted = {
        place: Pasted(
            form.who(place),
            given.get(f"character_{place}", ""),
            chosen[place].text if place in chosen else given[f"text_{place}"],
        )
        for place in places
        if form.is_relay or place not in chosen
    }
    made = dict(zip(pasted, pasted_responses(list(pasted.values()), scenario), strict=True))
    responses = [made[place] if place in made else chosen[place] for place in places]
    if len(responses) == 2 and responses[0].pk and responses[0].pk == responses[1].pk:
        raise CaseRefused("response", "an answer is not compared with itself")
    return responses


def _stored(pk: str, scenario: Scenario) -> Response:
    """One of those that the form offered for this scenario."""
    found = Response.objects.select_related("persona", "run").filter(pk=pk, scenario=scenario)
    if (response := found.first()) is None:
        raise CaseRefused("response", f"answer {pk} is not on {scenario.key!r}", pk)
    return response


# --- judging ------------------------------------------------------------------------------------


def _judge(request: HttpRequest, form: TrialForm, shown: TrialPreview | None) -> HttpResponseBase:
    assert isinstance(request.user, User)
    user, actor = request.user, request.user.get_username()
    try:
        if form.needs_model and shown and shown.price.needs_a_judge and not is_configured():
            raise CaseRefused("model", NO_JUDGE)
        if form.is_patch:
            to = Taken(PLAYGROUND_RUN, user, actor)
            scenario = scenario_named(form.cleaned_data["scenario"], to)
        else:
            scenario = _scenario(form)
        ids = store_pasted(_responses(form, scenario), user=user, actor=actor)
        wanted = _request(form, lambda draft: stored_snapshot(draft, user=user, actor=actor))
        judgement = start(named(wanted, ids, form.theme), user=user, actor=actor)
    except CaseRefused as refused:
        _refuse(form, refused)
        return _answer(request, form, shown=shown, status=422)
    if form.needs_model:
        transaction.on_commit(wake_workers)
    return redirect(f"{reverse('trial', args=[judgement.pk])}#trial")


# --- the page -----------------------------------------------------------------------------------


def _answer(
    request: HttpRequest,
    form: TrialForm,
    *,
    shown: TrialPreview | None = None,
    outcome: TrialOutcome | None = None,
    has_changed: bool = False,
    status: int = 200,
) -> HttpResponse:
    is_checked = hasattr(form, "cleaned_data") and not form.errors
    context: dict[str, Any] = {
        "form": form,
        "errors": _errors(form) if hasattr(form, "cleaned_data") else (),
        "shown": shown,
        "is_free": form.is_patch and is_checked,
        "has_changed": has_changed,
        "judge_is_configured": is_configured(),
        "button": _button(shown),
        **(_outcome_context(outcome) if outcome else {}),
    }
    return render(request, "verdicts/playground.html", context, status=status)


def _errors(form: TrialForm) -> Sequence[tuple[str, str, str]]:
    """Field, its name in words, what is wrong."""
    return [
        (field, form.name_of(field), str(text))
        for field, texts in form.errors.items()
        for text in texts
    ]


def _button(shown: TrialPreview | None) -> str:
    if shown is None:
        return "Judge, free"
    price = shown.price
    if not price.judgements:
        return "Show the verdict"
    if not price.needs_a_judge:
        return "Judge, free"
    if price.estimate_nano_usd is None:
        return "Judge, price not known"
    return f"Judge, about {money(price.estimate_nano_usd)}"


def _outcome_context(found: TrialOutcome) -> dict[str, Any]:
    poll_s = None if found.is_over else STANDING_POLL_S if found.is_standing else POLL_S
    return {"trial": found, "poll_s": poll_s}
