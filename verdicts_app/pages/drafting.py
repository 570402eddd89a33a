"""Contracts drafted by the judge: asked for with the price, reviewed, published."""

from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from judgeweb.access.roles import Capability, needs
from judgeweb.judging.contract_schemas import publishable_contract
from judgeweb.judging.documents import ContractDocument, load_document
from judgeweb.judging.errors import CaseRefused, DocumentInvalid
from rubrics_app.contracts import editable
from rubrics_app.models import Contract
from rubrics_app.publishing import document_of, state_of
from verdicts_app.boards.filters import text_of
from verdicts_app.boards.reasons import reason_in_words
from verdicts_app.boards.requests_made import requests_of_drafting
from verdicts_app.models import Drafting, DraftingState, Run, SystemPromptText
from verdicts_app.tasks import wake_for_draftings
from verdicts_app.templatetags.figures import money
from verdicts_app.work.contract_changes import ContractReport, contract_report
from verdicts_app.work.drafting import (
    BUDGET,
    NO_JUDGE,
    DraftingPrice,
    ask_for_draft,
    cost_of_drafting,
    price_of_drafting,
)
from verdicts_app.work.reviewing import NotSaved, contract_at, save_reviewed

CHECKED_MOST = 10_000
"""Captures that a page checks against a contract, the newest; the command checks all."""
CHANGES_SHOWN = 50
POLL_S = 2
FAILURES = {
    NO_JUDGE: ("no judge", "Once the judge answers again, ask again."),
    BUDGET: ("cap reached", "No request was sent that could have passed the cap of the price."),
}


# --- asked for ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """What is to be drafted: the contract of a call type for a system prompt that it was called
    with, and the run from which it was asked for."""

    call_type: str
    prompt: SystemPromptText
    run: Run | None


@needs(Capability.AUTHOR)
def draft_contract(request: HttpRequest) -> HttpResponseBase:
    """The price, and the button that spends it."""
    asked = _asked(request)
    problem, price = "", None
    try:
        if request.method == "POST":
            return _start(request, asked)
        price = price_of_drafting(asked.call_type, asked.prompt)
    except CaseRefused as refused:
        problem = refused.message
    context = {
        "asked": asked,
        "price": price,
        "problem": problem,
        "button": button_words(price) if price else "",
        "last": _last(asked),
    }
    return render(request, "verdicts/draft_contract.html", context, status=422 if problem else 200)


def _asked(request: HttpRequest) -> Asked:
    values = request.POST if request.method == "POST" else request.GET
    call_type, sha256, run_id = (
        text_of(values.get(name, "")) or "" for name in ("call_type", "prompt", "run")
    )
    prompt = SystemPromptText.objects.filter(sha256=sha256).first()
    if not prompt or not prompt.captures.filter(call_type=call_type).exists():
        raise Http404("There is no captured call of this type with this system prompt.")
    return Asked(call_type, prompt, Run.objects.filter(run_id=run_id).first())


def _start(request: HttpRequest, asked: Asked) -> HttpResponseBase:
    drafting = ask_for_draft(
        call_type=asked.call_type,
        prompt=asked.prompt,
        run=asked.run,
        user=cast(User, request.user),
        actor=request.user.get_username(),
    )
    transaction.on_commit(wake_for_draftings)
    return redirect("drafting", drafting.pk)


def _last(asked: Asked) -> Drafting | None:
    before = Drafting.objects.filter(call_type=asked.call_type, system_prompt=asked.prompt)
    return before.order_by("-pk").first()


def button_words(price: DraftingPrice) -> str:
    """The button carries what it spends."""
    if price.estimate_nano_usd is None:
        return "Draft a contract, price not known"
    return f"Draft a contract, about {money(price.estimate_nano_usd)}"


def draft_link(call_type: str, sha256: str, run_id: str = "") -> str:
    query = {"call_type": call_type, "prompt": sha256, "run": run_id}
    return f"{reverse('draft_contract')}?{urlencode({k: v for k, v in query.items() if v})}"


# --- reviewed -----------------------------------------------------------------------------------


class ReviewForm(forms.Form):
    """`this_version` and `any_version` are those of the contracts for this system prompt and for
    any when the page was made, 0 for none."""

    json_schema = forms.CharField(strip=False, widget=forms.Textarea)
    strict = forms.BooleanField(required=False)
    scope = forms.ChoiceField(choices=[("this", "this system prompt"), ("any", "any")])
    notes = forms.CharField(required=False, widget=forms.Textarea)
    this_version = forms.IntegerField(min_value=0)
    any_version = forms.IntegerField(min_value=0)

    def document(self, drafted: ContractDocument) -> ContractDocument | None:
        """None where the input is no contract: the errors are at its fields."""
        if not self.is_valid():
            return None
        entered = self.cleaned_data
        values = {
            **drafted.model_dump(),
            "system_prompt_sha256": drafted.system_prompt_sha256 if self.is_for_this else "",
            "json_schema": entered["json_schema"],
            "strict": entered["strict"],
            "notes": entered["notes"].replace("\r\n", "\n"),
        }
        try:
            return publishable_contract(load_document(ContractDocument, values))
        except DocumentInvalid as error:
            for place, message in error.problems:
                field = place.partition(".")[0]
                self.add_error(field if field in self.fields else None, f"{place}: {message}")
            return None

    @property
    def is_for_this(self) -> bool:
        return bool(self.cleaned_data["scope"] == "this")

    @property
    def opened_version(self) -> int:
        return int(self.cleaned_data["this_version" if self.is_for_this else "any_version"])


@never_cache
@needs(Capability.AUTHOR)
def drafting(request: HttpRequest, drafting_id: int) -> HttpResponseBase:
    """What became of it; where it is drafted, its review."""
    found = get_object_or_404(
        Drafting.objects.select_related("system_prompt", "run", "revision", "created_by"),
        pk=drafting_id,
    )
    if found.state != DraftingState.DRAFTED:
        return _answer(request, found)
    drafted = load_document(ContractDocument, found.document)
    if request.method != "POST":
        return _answer(request, found, ReviewForm(_first_values(drafted)), drafted)
    form = ReviewForm(request.POST)
    document = form.document(drafted)
    act = request.POST.get("act")
    if document is None or act not in ("save", "publish"):
        return _answer(request, found, form, document)
    try:
        return _save(request, found, form, document, publish=act == "publish")
    except NotSaved as problem:
        form = ReviewForm({**request.POST.dict(), **_versions(drafted)})
        return _answer(request, found, form, document, problem=str(problem))


def _first_values(drafted: ContractDocument) -> dict[str, Any]:
    return {
        "json_schema": editable(drafted.json_schema),
        "strict": drafted.strict,
        "scope": "this",
        "notes": drafted.notes,
        **_versions(drafted),
    }


def _versions(drafted: ContractDocument) -> dict[str, int]:
    for_this = contract_at(drafted.call_type, drafted.system_prompt_sha256)
    for_any = contract_at(drafted.call_type, "")
    return {
        "this_version": for_this.version if for_this else 0,
        "any_version": for_any.version if for_any else 0,
    }


def _save(
    request: HttpRequest,
    found: Drafting,
    form: ReviewForm,
    document: ContractDocument,
    *,
    publish: bool,
) -> HttpResponseBase:
    saved = save_reviewed(
        found,
        document,
        opened_version=form.opened_version,
        publish=publish,
        user=cast(User, request.user),
    )
    if saved.revision is None:
        messages.success(request, f"Saved as the draft {saved.contract.key}, not published.")
        return redirect("admin:rubrics_app_contract_change", saved.contract.pk)
    messages.success(request, f"Published as {saved.revision}.")
    return redirect("drafting", found.pk)


def _answer(
    request: HttpRequest,
    found: Drafting,
    form: ReviewForm | None = None,
    document: ContractDocument | None = None,
    *,
    problem: str = "",
) -> HttpResponse:
    is_open = found.state == DraftingState.DRAFTING
    name, advice = _failure(found)
    context = {
        "drafting": found,
        "poll_s": POLL_S if is_open else None,
        "form": form,
        "problem": problem,
        "report": _report(document) if document else None,
        "cost": cost_of_drafting(found.pk),
        "requests": requests_of_drafting(found.pk),
        "failure": name,
        "advice": advice,
        "again": draft_link(
            found.call_type, found.system_prompt.sha256, found.run.run_id if found.run else ""
        ),
    }
    status = 409 if problem else 422 if form is not None and form.errors else 200
    return render(request, "verdicts/drafting.html", context, status=status)


def _failure(found: Drafting) -> tuple[str, str]:
    """The name of a failure and what helps."""
    if found.state != DraftingState.FAILED:
        return "", ""
    if found.reason in FAILURES:
        return FAILURES[found.reason]
    reason = reason_in_words(found.reason)
    return reason.name, reason.advice


def _report(document: ContractDocument) -> ContractReport:
    return contract_report(document, most=CHECKED_MOST, shown=CHANGES_SHOWN)


# --- what a contract of the admin would change --------------------------------------------------


@never_cache
@needs(Capability.AUTHOR)
def contract_changes(request: HttpRequest, contract_id: int) -> HttpResponse:
    """The saved draft of a contract beside what is published."""
    contract = get_object_or_404(Contract, pk=contract_id)
    report, problem = None, ""
    try:
        report = _report(cast(ContractDocument, document_of(contract)))
    except DocumentInvalid as error:
        problem = str(error)
    context = {
        "contract": contract,
        "state": state_of(contract),
        "report": report,
        "problem": problem,
    }
    return render(request, "verdicts/contract_changes.html", context)
