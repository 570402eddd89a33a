"""The page of one team's relay."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from judgeweb.access.roles import Capability, needs
from verdicts_app.boards.relay_page import relay_page
from verdicts_app.boards.repeats import several


@needs(Capability.READ)
def relay(request: HttpRequest, chain_id: int) -> HttpResponse:
    """`?against=` and `?judge=` choose among several opponents and judges."""
    verdict = request.GET.get("verdict", "")
    page = relay_page(
        chain_id,
        against=request.GET.get("against", ""),
        family=request.GET.get("judge", ""),
        verdict_id=int(verdict) if verdict.isascii() and verdict.isdigit() else None,
    )
    if page is None:
        raise Http404(f"There is no relay {chain_id}.")
    panels = several(page.verdict) if page.verdict else None
    return render(request, "verdicts/relay.html", {"page": page, "several": panels})
