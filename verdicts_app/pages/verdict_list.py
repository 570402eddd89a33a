"""The list of verdicts behind a figure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from judgeweb.access.roles import Capability, needs
from verdicts_app.boards.verdict_list import ListFilters, verdict_list
from verdicts_app.pages.filter_bar import OWN, Chip


@needs(Capability.READ)
def verdict_list_page(request: HttpRequest) -> HttpResponse:
    filters = ListFilters.from_query(request.GET)
    page = verdict_list(filters)
    chips = _chips(filters)
    return render(
        request,
        "verdicts/verdict_list.html",
        {
            "page": page,
            "chips": chips,
            "loosen": chips,
            "older": filters.to_query(before=page.older) if page.older else "",
            "newest": filters.to_query(before=None) if filters.before else "",
            "other": filters.to_query(is_unjudged=not filters.is_unjudged, before=None),
        },
    )


def _chips(filters: ListFilters) -> list[Chip]:
    shared = filters.shared
    found = [
        Chip(name, value, filters.to_query(exact=_less(filters.exact, name), before=None))
        for name, value in filters.exact.items()
    ]
    if filters.gold:
        found.append(Chip("gold standard of", filters.gold, filters.to_query(gold="", before=None)))
    for label, name in (
        *(("mode", "mode"), ("scenario", "scenario"), ("category", "category"), ("role", "role")),
        *(("theme", "theme"), ("judge", "judge"), ("epoch", "epoch")),
        *(("from", "start"), ("to", "end"), ("own model", "own")),
    ):
        value = getattr(shared, name)
        if value:
            text = value if isinstance(value, str) else f"{value.day} {value:%b %Y}"
            text = OWN[text] if name == "own" else text
            found.append(Chip(label, text[:60], _off(filters, name), name == "epoch"))
    return found


def _less(exact: Mapping[str, str], name: str) -> dict[str, str]:
    return {key: value for key, value in exact.items() if key != name}


def _off(filters: ListFilters, name: str) -> str:
    empty: Any = None if name in ("start", "end") else ""
    shared = replace(filters.shared, **{name: empty})
    return filters.to_query(shared=shared, before=None)
