"""The page of one verdict, and of one judgement that has none."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from judgeweb.access.roles import Capability, needs
from verdicts_app.api.schemas import WholeVerdictOut
from verdicts_app.api.verdicts import whole_out
from verdicts_app.boards.duel_page import DuelPage, duel_page
from verdicts_app.boards.judgement_page import judgement_page
from verdicts_app.boards.patch_page import patch_page
from verdicts_app.boards.repeats import several
from verdicts_app.boards.subjects import subject_of
from verdicts_app.boards.verdict_page import VerdictPage, verdict_page

VERDICT_KEYS = [("j / k", "next or previous verdict of the run")]


@needs(Capability.READ)
def verdict(request: HttpRequest, verdict_id: int) -> HttpResponseBase:
    """One on a captured call leads on to the call, one on a relay to the relay."""
    subject = subject_of(verdict_id)
    if subject is None:
        raise Http404(f"There is no verdict {verdict_id}.")
    if subject.capture_id is not None:
        call = reverse("capture", args=[subject.capture_id])
        return redirect(f"{call}?verdict={verdict_id}")
    if subject.chain_id is not None:
        relay = reverse("relay", args=[subject.chain_id])
        return redirect(f"{relay}?verdict={verdict_id}")
    page = duel_page(verdict_id) if subject.pair_id is not None else verdict_page(verdict_id)
    patch = patch_page(page) if isinstance(page, VerdictPage) else None
    single = "verdicts/patch.html" if patch else "verdicts/verdict.html"
    template = "verdicts/duel.html" if isinstance(page, DuelPage) else single
    panels = several(page.verdict) if page else None
    context = {"page": page, "patch": patch, "several": panels, "page_keys": VERDICT_KEYS}
    return render(request, template, context)


@needs(Capability.READ)
def judgement(request: HttpRequest, judgement_id: int) -> HttpResponseBase:
    """A judged one leads on to its verdict."""
    page = judgement_page(judgement_id)
    if page is None:
        raise Http404(f"There is no judgement {judgement_id}.")
    if page.verdict_id is not None:
        return redirect("verdict", page.verdict_id)
    if page.judgement.capture_id is not None:
        return redirect("capture", page.judgement.capture_id)
    context = {"page": page, "several": several(page.judgement)}
    return render(request, "verdicts/judgement.html", context)


@needs(Capability.READ)
def verdict_json(request: HttpRequest, verdict_id: int) -> HttpResponse:
    """The record that the API gives, for a session instead of a token."""
    page = verdict_page(verdict_id)
    if page is None:
        raise Http404(f"There is no verdict {verdict_id}.")
    record = WholeVerdictOut.model_validate(whole_out(page), from_attributes=True)
    return JsonResponse(record.model_dump(), json_dumps_params={"indent": 2})
