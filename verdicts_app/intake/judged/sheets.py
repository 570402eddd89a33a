"""The seed's own sheets, read from another tool's result by the reader that live replies have.

The seed's weights hold: an imported verdict pins no rubric of this installation. Its items are
those of its own document, with the severities of the scenario where that is published here
(`lists`). Quotes are looked up where the answer is here.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from judgeweb.judging.documents import ChecklistItem, ScenarioDocument
from judgeweb.judging.sheets import GenericSheet
from judgeweb.judging.text import is_blank, shown, visible
from judgeweb.judging.types import (
    Case,
    Contestant,
    EvidenceState,
    Fault,
    Finding,
    Flag,
    Reading,
    Verdict,
)
from rubrics_app.shipped import shipped_rubric
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.figures import REASONS, VALUES, first_of
from verdicts_app.intake.judged.lists import Told
from verdicts_app.intake.judged.types import Given, Payload

LONGEST_ID = 200


def scored(
    sheet: GenericSheet, mode: str, lists: Mapping[str, Any], payload: Payload, given: Given
) -> Verdict:
    """The verdict on the marks and findings of `payload`. Raise FieldRefused."""
    scenario = ScenarioDocument(name="imported", challenge="", **lists)
    contestant = Contestant(spec="", character="", response=given.response or "")
    rubric = shipped_rubric(mode)
    case = Case(rubric, scenario, (contestant,), secret=b"")
    reading = sheet.read(case, contestant, payload)
    if isinstance(reading, Fault):
        raise FieldRefused("marks", reading.detail)
    checked = reading if given.response is not None else _not_looked_up(reading)
    worth = {dimension.key: str(dimension.weight) for dimension in rubric.dimensions}
    pinned = {"scenario_revision": given.revision} if lists and given.revision else {}
    return replace(sheet.score(case, checked), extra={"out_of": worth, **pinned})


def _not_looked_up(reading: Reading) -> Reading:
    """Quotes that could not be looked up are neither verified nor lost."""
    findings = tuple(map(_unchecked, reading.findings))
    bare = any(one.found and is_blank(one.evidence) and one.item_id for one in findings)
    dropped = {Flag.EVIDENCE_NOT_FOUND, *([] if bare else [Flag.FOUND_WITHOUT_EVIDENCE])}
    flags = tuple(flag for flag in reading.flags if flag not in dropped)
    return replace(reading, findings=findings, flags=flags)


def _unchecked(finding: Finding) -> Finding:
    return replace(finding, evidence_state=EvidenceState.NONE, evidence_at=None)


def told_of(payload: Payload, key: str, category: str) -> list[Told]:
    """The items that a list of findings answers for, each under its own category or severity.

    An id answered twice is one item here, so that the reader refuses the second answer."""
    rows = payload.get(key) or []
    if not isinstance(rows, list):
        raise FieldRefused(key, f"must be a list, not {shown(rows)}", rows)
    found: dict[str, Told] = {}
    for number, row in enumerate(rows):
        place = f"{key}[{number}]"
        if not isinstance(row, Mapping):
            raise FieldRefused(place, f"must be an object, not {shown(row)}", row)
        item_id = str(row.get("id") or "").strip()
        if not item_id or len(item_id) > LONGEST_ID:
            raise FieldRefused(
                f"{place}.id", f"expected an id of 1 to {LONGEST_ID} characters", row.get("id")
            )
        named = str(first_of(row, ("severity", "category")) or category).strip()[:100]
        item = ChecklistItem(id=item_id, category=named, description=_described(row))
        severity = visible(str(row.get("severity") or "").strip()[:100])[0]
        found.setdefault(item_id, Told(place, item, severity))
    return list(found.values())


def _described(row: Mapping[str, Any]) -> str:
    return str(first_of(row, ("description", "title")) or "")


def with_values(marks: Any) -> Any:
    """Marks whose value stands under `score` and whose reason under `reason`, as the reader
    knows them."""
    if not isinstance(marks, Mapping):
        return marks
    return {key: _with_value(mark) for key, mark in marks.items()}


def _with_value(mark: Any) -> Any:
    if not isinstance(mark, Mapping):
        return mark
    return {"value": first_of(mark, VALUES), "reasoning": first_of(mark, REASONS)}
