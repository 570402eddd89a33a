"""The audit log: every state-changing act, newest first."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from judgeweb.access.models import AuditEntry
from judgeweb.access.roles import Capability, needs
from verdicts_app.pages.cursors import cursor

PAGE_SIZE = 50


@needs(Capability.ADMINISTER)
def audit(request: HttpRequest) -> HttpResponse:
    before = cursor(request, "before")
    entries = AuditEntry.objects.order_by("-pk")
    if before is not None:
        entries = entries.filter(pk__lt=before)
    found = list(entries[: PAGE_SIZE + 1])
    context = {
        "entries": found[:PAGE_SIZE],
        "older": found[PAGE_SIZE - 1].pk if len(found) > PAGE_SIZE else None,
        "is_first": before is None,
    }
    return render(request, "verdicts/audit.html", context)
