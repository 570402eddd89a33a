"""The seed's checklist result: baseline_findings, claims outside the list, marks in two groups.

Score: detection 50 + quality 25 + persona 25. An empty list has no recall, so it has no total.
"""

from dataclasses import replace

from judgeweb.judging.sheets import ChecklistSheet
from judgeweb.judging.types import Verdict
from verdicts_app.intake.judged.sheets import items_of, scored, with_values
from verdicts_app.intake.judged.types import Given, Judged, Payload

EMPTY = "The checklist is empty: recall, detection and total are undefined."


def matches(payload: Payload) -> bool:
    return "baseline_findings" in payload


def read(payload: Payload, given: Given) -> Judged:
    lists = {
        "baseline_issues": items_of(payload, "baseline_findings", "general"),
        "bonus_issues": items_of(payload, "bonus_findings", "bonus"),
    }
    groups = {key: with_values(payload.get(key)) for key in ("quality", "persona")}
    verdict = scored(ChecklistSheet(), "checklist", lists, {**payload, **groups}, given)
    if not lists["baseline_issues"]:
        verdict = _undefined(verdict)
    return Judged("checklist", verdict, {"scale": "detection 50, quality 25, persona 25"})


def _undefined(verdict: Verdict) -> Verdict:
    kept = tuple(step for step in verdict.working if step.name not in ("detection", "total"))
    return replace(
        verdict,
        total=None,
        total_without_persona=None,
        parts={**verdict.parts, "detection": None},
        working=kept,
        stated=(),
        flags=(),
        notes=(*verdict.notes, EMPTY),
    )
