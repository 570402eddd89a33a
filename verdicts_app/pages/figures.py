"""How figures are computed: every formula behind a number on a page."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def figures(request: HttpRequest) -> HttpResponse:
    return render(request, "verdicts/figures.html", {"least": settings.MINIMUM_SCENARIOS})
