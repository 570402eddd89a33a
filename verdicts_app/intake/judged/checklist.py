"""The seed's checklist result: baseline_findings, claims outside the list, marks in two groups.

Score: detection 50 + quality 25 + persona 25. An empty list has no recall, so it has no total.
"""

from dataclasses import replace

from judgeweb.judging.sheets import ChecklistSheet
from judgeweb.judging.types import FindingKind, Verdict
from verdicts_app.intake.judged.lists import agreed, least_recall
from verdicts_app.intake.judged.sheets import scored, told_of, with_values
from verdicts_app.intake.judged.types import Given, Judged, Payload

EMPTY = "The checklist is empty: recall, detection and total are undefined."


def matches(payload: Payload) -> bool:
    return "baseline_findings" in payload


def read(payload: Payload, given: Given) -> Judged:
    scenario = given.scenario
    baseline = agreed(
        "baseline_findings",
        told_of(payload, "baseline_findings", "general"),
        scenario.baseline_issues if scenario else None,
        of="baseline_issues",
    )
    bonus = agreed(
        "bonus_findings",
        told_of(payload, "bonus_findings", "bonus"),
        scenario.bonus_issues if scenario else None,
        of="bonus_issues",
    )
    lists = {"baseline_issues": baseline.items, "bonus_issues": bonus.items}
    groups = {key: with_values(payload.get(key)) for key in ("quality", "persona")}
    verdict = scored(ChecklistSheet(), "checklist", lists, {**payload, **groups}, given)
    if not baseline.items:
        verdict = _undefined(verdict)
    if baseline.missing:
        listed = [one for one in verdict.findings if one.kind is FindingKind.BASELINE]
        note = least_recall(listed, baseline.missing)
        verdict = replace(verdict, notes=(*verdict.notes, note))
    scale = {"scale": "detection 50, quality 25, persona 25"}
    return Judged("checklist", verdict, scale, said=(*baseline.said, *bonus.said))


def _undefined(verdict: Verdict) -> Verdict:
    unknown = ("f2", "detection")
    kept = tuple(step for step in verdict.working if step.name not in (*unknown, "total"))
    return replace(
        verdict,
        total=None,
        total_without_persona=None,
        parts={**verdict.parts, **dict.fromkeys(unknown)},
        working=kept,
        stated=(),
        flags=(),
        notes=(*verdict.notes, EMPTY),
    )
