"""Captured calls: the list, one call, the versions of a prompt, and the verdict files."""

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.http import content_disposition_header

from judgeweb.access.roles import Capability, needs
from judgeweb.judging.modes.calls import DIMENSIONS
from verdicts_app.boards.calibration import board_off
from verdicts_app.boards.call_filters import DIMENSION_FIELDS, OUTCOMES, STATES, CallFilters
from verdicts_app.boards.capture_list import capture_list
from verdicts_app.boards.capture_page import CapturePage, capture_page
from verdicts_app.boards.contract_gaps import contract_gaps, contract_of_prompts
from verdicts_app.boards.filters import text_of
from verdicts_app.boards.prompt_versions import PromptVersions, RateChange, prompt_versions
from verdicts_app.boards.rates import KEYS, LABELS, PASS
from verdicts_app.boards.repeats import several
from verdicts_app.boards.run_calls import CallTypeRow, run_calls
from verdicts_app.exports.calls import DIALECTS, NothingToExport, Wanted, export
from verdicts_app.models import Job, Run
from verdicts_app.pages.call_chips import call_chips
from verdicts_app.pages.cursors import cursor
from verdicts_app.pages.drafting import draft_link
from verdicts_app.pages.filter_bar import Switch

CALL_KEYS = [("j / k", "next or previous call of its type in the run")]
POLL_S = 5
FAULTS = {
    "schema_ok": "does not keep its schema",
    "factually_grounded": "claims what it was not given",
    "hallucination_free": "makes something up",
}
STATE_WORDS = {"": "All", "open": "Not judged"}
DIALECT_WORDS = (("seed", "seed"), ("index", "index"), ("camel", "camelCase"))
FILE_NAMES = {
    "seed": "{}-verdicts.json",
    "index": "{}-INDEX.json",
    "camel": "{}-verdicts.camel.json",
}


@needs(Capability.READ)
def captures(request: HttpRequest) -> HttpResponse:
    filters = CallFilters.from_query(request.GET)
    page = capture_list(filters)
    chips = call_chips(filters)
    context = {
        "page": page,
        "chips": chips,
        "loosen": chips,
        "clear": "",
        "dimensions": [(key, LABELS[key], _asked(filters, key)) for key in DIMENSIONS],
        "outcomes": OUTCOMES,
        "states": [
            Switch(
                STATE_WORDS.get(state, state.capitalize()),
                filters.to_query(state=state, before=None),
                filters.state == state,
            )
            for state in ("", *STATES)
        ],
        "older": filters.to_query(before=page.older) if page.older else "",
        "newest": filters.to_query(before=None) if filters.before else "",
    }
    return render(request, "verdicts/captures.html", context)


def _asked(filters: CallFilters, key: str) -> str:
    asked: str = getattr(filters, DIMENSION_FIELDS[key])
    return asked


@needs(Capability.READ)
def capture(request: HttpRequest, capture_id: int) -> HttpResponse:
    page = capture_page(capture_id, verdict_id=cursor(request, "verdict"))
    if page is None:
        raise Http404(f"There is no captured call {capture_id} with such a verdict.")
    context = {
        "page": page,
        "several": several(page.verdict) if page.verdict else None,
        "page_keys": CALL_KEYS,
        "prompts_query": _prompts_query(page),
        "sentence": _sentence(page),
        "latency_ms": None if page.capture.latency_ms is None else round(page.capture.latency_ms),
    }
    return render(request, "verdicts/capture.html", context)


def _prompts_query(page: CapturePage) -> str:
    return urlencode({"call_type": page.capture.call_type})


def _sentence(page: CapturePage) -> str:
    if page.verdict is None:
        if page.reason:
            return f"There is no verdict: {page.reason.meaning or page.reason.name}."
        if page.is_waiting:
            return "This call waits for its turn. Nothing is lost."
        return "Nobody has judged this call yet."
    failed = [FAULTS[check.key] for check in page.checks if check.ok is False]
    unsure = [check.label.lower() for check in page.checks if check.ok is None]
    parts = [f"This response {_listed(failed)}."] if failed else []
    if unsure:
        parts.append(f"Undecidable: {_listed(unsure)}.")
    return " ".join(parts) or "All three dimensions hold."


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@needs(Capability.READ)
def prompts(request: HttpRequest) -> HttpResponse:
    filters = CallFilters.from_query(request.GET)
    found = prompt_versions(
        filters, before=request.GET.get("old", ""), after=request.GET.get("new", "")
    )
    return render(request, "verdicts/prompts.html", _prompts_context(found))


def _prompts_context(found: PromptVersions) -> dict[str, Any]:
    filters = found.filters
    contracts = contract_of_prompts(
        filters.call_type, [version.sha256 for version in found.versions]
    )
    return {
        "found": found,
        "rates_query": urlencode({"view": "rates", "call_type": filters.call_type}),
        "keys": [(key, LABELS[key]) for key in KEYS],
        "sentence": _prompts_sentence(found),
        "outside": board_off(found.epoch) if found.versions else (),
        "rates": [_change_row(change) for change in _changes(found)],
        "versions": [
            {
                "version": version,
                "rates": [(key, LABELS[key], (version.rates or {}).get(key)) for key in KEYS],
                "contract": contracts[version.sha256],
                "draft_link": draft_link(filters.call_type, version.sha256, filters.run),
            }
            for version in found.versions
        ],
    }


def _changes(found: PromptVersions) -> tuple[RateChange, ...]:
    return found.comparison.rates if found.comparison else ()


def _change_row(change: RateChange) -> dict[str, Any]:
    """In percentage points."""
    interval = change.interval
    return {
        "change": change,
        "points": None if change.difference is None else change.difference * 100,
        "low": interval.low * 100 if interval else None,
        "high": interval.high * 100 if interval else None,
        "words": _change_words(change),
    }


def _change_words(change: RateChange) -> str:
    if change.difference is None:
        return "one of the two has no verdict"
    if not change.is_clear:
        return "no difference shown"
    return "better" if change.difference > 0 else "worse"


def _prompts_sentence(found: PromptVersions) -> str:
    if not found.filters.call_type:
        return "Each text of a system prompt is a version. Choose a call type to compare its own."
    if found.comparison is None:
        return "One text was used, so there is nothing to compare yet."
    words = _change_words(found.comparison.rates[0])
    return {
        "better": "More calls pass after the change than before.",
        "worse": "Fewer calls pass after the change than before.",
        "no difference shown": "No difference in the pass rate is shown by the calls so far.",
    }.get(words, "One of the two versions has no verdict in this epoch yet.")


@needs(Capability.READ)
def run_calls_part(request: HttpRequest, run_id: str) -> HttpResponse:
    """The table of call types, brought up to date while a job is at work."""
    run = get_object_or_404(Run, run_id=run_id)
    return render(request, "verdicts/_run_calls.html", calls_context(run))


@needs(Capability.READ)
def run_contracts_part(request: HttpRequest, run_id: str) -> HttpResponse:
    """Where no contract fits, brought up to date while one is drafted."""
    run = get_object_or_404(Run, run_id=run_id)
    return render(request, "verdicts/_run_contracts.html", {"run": run, **_gaps(run, True)})


def calls_context(run: Run) -> dict[str, Any]:
    """`rows` is empty where the run holds no captured call."""
    found = run_calls(run)
    is_open = found.rows and Job.objects.filter(run=run, finished_at__isnull=True).exists()
    return {
        "run": run,
        "calls": found,
        "rows": [_run_row(run, row) for row in found.rows],
        "keys": [(key, LABELS[key]) for key in KEYS],
        "dialects": DIALECT_WORDS,
        "calls_poll_s": POLL_S if is_open else None,
        **_gaps(run, bool(found.rows)),
    }


def _gaps(run: Run, holds_calls: bool) -> dict[str, Any]:
    if not holds_calls:
        return {}
    found = contract_gaps(run)
    return {
        "gaps": found,
        "gap_rows": [
            (gap, draft_link(gap.call_type, gap.sha256, run.run_id)) for gap in found.gaps
        ],
        "gaps_poll_s": POLL_S if found.is_moving else None,
    }


def _run_row(run: Run, row: CallTypeRow) -> dict[str, Any]:
    where = {"run": run.run_id, "call_type": row.call_type}
    of_type = {"call_type": row.call_type}
    return {
        "row": row,
        "link": _list_url(**where),
        "unjudged_link": _list_url(**where, state="unjudged"),
        "judge_link": f"{reverse('judge_run', args=[run.run_id])}?{urlencode(of_type)}",
        "export_link": f"{reverse('run_verdicts', args=[run.run_id])}?{urlencode(of_type)}",
        "cells": [(LABELS[key], _run_cell(where, row, key)) for key in KEYS],
    }


def _run_cell(where: dict[str, str], row: CallTypeRow, key: str) -> dict[str, Any] | None:
    if row.rates is None:
        return None
    asked = "state" if key == PASS else key
    return {
        "rate": row.rates[key],
        "link": _list_url(**where),
        "failed_link": _list_url(**where, **{asked: "fail"}),
    }


def _list_url(**query: str) -> str:
    return f"{reverse('captures')}?{urlencode(query)}"


@needs(Capability.READ)
def run_verdicts(request: HttpRequest, run_id: str) -> HttpResponse:
    """The verdict file of a call type, byte for byte what API and command give."""
    call_type = text_of(request.GET.get("call_type", ""))
    dialect = request.GET.get("dialect", "seed")
    if not call_type or dialect not in DIALECTS:
        raise Http404(f"Name a call_type, and one of the dialects {', '.join(DIALECTS)}.")
    try:
        found = export(Wanted(run_id=run_id, call_type=call_type))
    except NothingToExport as nothing:
        raise Http404(f"{nothing}.") from nothing
    name = FILE_NAMES[dialect].format(call_type)
    return HttpResponse(
        found.text(dialect),
        content_type="application/json",
        headers={"Content-Disposition": content_disposition_header(True, name) or "attachment"},
    )
