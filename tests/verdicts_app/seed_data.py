"""The seed's `--data` for its golden cases, and the replies that lead to their totals."""

import json
from collections import defaultdict
from typing import Any

from judgeweb.judging.documents import ChecklistItem
from tests.judging.world import (
    RESPONSE,
    behaviours,
    behaviours_reply,
    checklist,
    checklist_reply,
    solo_reply,
)

WORKS = {"text": '{"works": true}'}
"""What the probe before a job's first request is answered."""

FOUND = {"C1", "C2", "C3", "C4", "C5", "H1", "H2", "H3", "H4", "M1", "M2", "M3", "L1"}


def solo_data(**change: Any) -> dict[str, Any]:
    return {
        "spec": "lighthouse:reviewer",
        "character": "Maren Holt",
        "challenge": "Review the refund service.",
        "response": RESPONSE,
    } | change


def checklist_data(**change: Any) -> dict[str, Any]:
    """6 critical, 6 high, 8 medium, 2 low: 194 points."""
    return solo_data(baseline_issues=by_category(checklist().scenario.baseline_issues)) | change


def behaviours_data(**change: Any) -> dict[str, Any]:
    """8 baseline, 2 bonus behaviours."""
    about = behaviours().scenario
    return (
        solo_data(
            baseline_criteria=by_category(about.baseline_criteria),
            bonus_criteria=by_category(about.bonus_criteria),
        )
        | change
    )


def by_category(items: tuple[ChecklistItem, ...]) -> dict[str, list[dict[str, str]]]:
    lists: dict[str, list[dict[str, str]]] = defaultdict(list)
    for item in items:
        lists[item.category].append({"id": item.id, "description": item.description})
    return dict(lists)


def said(payload: Any) -> dict[str, str]:
    return {"text": json.dumps(payload)}


def solo_said() -> dict[str, str]:
    """Marks 8, 7, 9, 8: 80."""
    return said(solo_reply(8, 7, 9, 8))


def checklist_said() -> dict[str, str]:
    """5, 4, 3 and 1 found: 132 of 194 points; 1 false positive, 2 valid novel: 75.698085."""
    novel = [{"description": t, "valid": True, "reasoning": "r"} for t in ("mail", "currency")]
    false = [{"claim": "The webhook is unsigned", "why_invalid": "line 88 verifies it"}]
    reply = checklist_reply(checklist(), FOUND, novel_findings=novel, false_positives=false)
    return said(reply)


def behaviours_said() -> dict[str, str]:
    """All 8 and 2 shown: 40 + 6 + 18.75 + 21.25 = 86."""
    about = behaviours()
    listed = about.scenario.baseline_criteria + about.scenario.bonus_criteria
    return said(behaviours_reply(about, {item.id for item in listed}))
