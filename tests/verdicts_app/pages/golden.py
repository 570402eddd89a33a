"""The golden case of the checklist mode as rows, with one quote that is not in the response."""

import json
import zlib
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from judgeweb.judging.documents import (
    Band,
    ChecklistItem,
    CodeFile,
    Dimension,
    MarkSpec,
    RubricDocument,
    ScenarioDocument,
    canonical_json,
)
from rubrics_app.models.revision import RevisionKind
from tests import factories
from verdicts_app.models import (
    LedgerEntry,
    LedgerState,
    PromptText,
    Response,
    Verdict,
    VerdictFinding,
    VerdictMark,
)

WEIGHTS = {"critical": 15, "high": 10, "medium": 5, "low": 2}
FOUND = {"critical": (5, 6), "high": (4, 6), "medium": (3, 8), "low": (1, 2)}
LOST = "HIGH-4"
MARKS = [
    ("quality", "clear_explanations", "Clear explanations", 8, "7-8"),
    ("quality", "actionable_fixes", "Actionable fixes", 7, "7-8"),
    ("persona", "in_character", "In character", 9, "9-10"),
    ("persona", "professional_tone", "Professional tone", 8, "7-8"),
]


def item_ids() -> list[tuple[str, str, bool]]:
    """(id, severity, found) of the 22 items."""
    return [
        (f"{severity.upper()}-{number}", severity, number <= found)
        for severity, (found, items) in FOUND.items()
        for number in range(1, items + 1)
    ]


def quote_of(item_id: str) -> str:
    return f"the light of {item_id} is out"


def response_text() -> str:
    lines = [
        f"{number}. I note that {quote_of(item_id)}, so mend it."
        for number, (item_id, _, found) in enumerate(item_ids(), 1)
        if found and item_id != LOST
    ]
    return "Worst first, as the log demands.\n\n" + "\n".join(lines)


def bands(name: str) -> tuple[Band, ...]:
    return tuple(
        Band(low=low, high=low + 1, text=f"{name} of band {low} to {low + 1}.")
        for low in (1, 3, 5, 7, 9)
    )


def rubric() -> RubricDocument:
    def marks(dimension: str) -> tuple[MarkSpec, ...]:
        return tuple(MarkSpec(key=k, label=text) for d, k, text, _, _ in MARKS if d == dimension)

    return RubricDocument(
        name="Code review, checklist",
        mode="checklist",
        dimensions=(
            Dimension(key="detection", label="Detection", weight=Decimal(50)),
            Dimension(
                key="quality",
                label="Quality",
                weight=Decimal(25),
                anchors="Quality",
                bands=bands("Quality"),
                marks=marks("quality"),
            ),
            Dimension(
                key="persona",
                label="Persona",
                weight=Decimal(25),
                anchors="Persona",
                bands=bands("Persona"),
                marks=marks("persona"),
            ),
        ),
    )


def scenario() -> ScenarioDocument:
    return ScenarioDocument(
        name="ticket-kiosk",
        title="Refunds of a ticket kiosk",
        challenge="Review the refund service before it opens.",
        files=(CodeFile(language="python", filename="refunds.py", content="a = 1\nb = 2\n"),),
        baseline_issues=tuple(
            ChecklistItem(id=item_id, category=severity, description=f"About {item_id}")
            for item_id, severity, _ in item_ids()
        ),
    )


def _fraction(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def detail() -> dict[str, Any]:
    recall, precision = Fraction(132, 194), Fraction(13, 14)
    detection = 30 * recall + 10 * precision + 6
    quality, persona = Fraction(75, 4), Fraction(85, 4)
    steps = [
        ("recall", "(5×15 + 4×10 + 3×5 + 1×2) / (6×15 + 6×10 + 8×5 + 2×2) = 132 / 194", recall, ""),
        ("precision", "13 / (13 + 1 false positive) = 13 / 14", precision, ""),
        (
            "f2",
            "5×p×r / (4×p + r)",
            5 * precision * recall / (4 * precision + recall),
            "shown only",
        ),
        ("detection", "30×0.680412 + 10×0.928571 + min(3×2, 10)", detection, ""),
        ("quality", "1.25×8 + 1.25×7", quality, ""),
        ("persona", "1.25×9 + 1.25×8", persona, ""),
        ("total", "35.698085 + 18.75 + 21.25", detection + quality + persona, ""),
    ]
    return {
        "parts": {
            "detection": _fraction(detection),
            "quality": _fraction(quality),
            "persona": _fraction(persona),
            "recall": _fraction(recall),
            "precision": _fraction(precision),
        },
        "working": [
            {"name": name, "expression": text, "value": _fraction(value), "note": note}
            for name, text, value, note in steps
        ],
        "stated": [
            {"name": "weighted_total", "stated": "79.8", "computed": "75.698085", "differs": True},
            {"name": "detection.novel_valid", "stated": "2", "computed": "2", "differs": False},
        ],
        "notes": ["the judge also marked style: 10"],
        "assessment": "A keeper's log, worst light first.",
    }


@dataclass(frozen=True)
class Golden:
    verdict: Verdict
    response: Response


def make_golden_verdict(**fields: Any) -> Golden:
    """The verdict with its response, judgement, pins, marks, findings and one request."""
    rubric_row = factories.make_revision(
        "checklist", 7, RevisionKind.RUBRIC, canonical_json(rubric())
    )
    scenario_row = factories.make_revision(
        "ticket-kiosk", 4, RevisionKind.SCENARIO, canonical_json(scenario())
    )
    persona = factories.make_persona("lighthouse:reviewer", character="Maren Holt, night keeper")
    response = factories.make_response(persona, text=response_text(), source_id="answer-57")
    epoch = factories.make_epoch(
        "golden",
        mode="checklist",
        rubric_revision=rubric_row,
        prompt_version="checklist-5",
        parameters='{"effort": "medium", "orders": 1}',
    )
    judgement = factories.make_judgement(response, epoch=epoch, scenario_revision=scenario_row)
    total = Fraction(132, 194) * 30 + Fraction(130, 14) + 6 + 40
    verdict = factories.make_verdict(
        response=response,
        epoch=epoch,
        total=total,
        without_persona=(total - Fraction(85, 4)) * Fraction(100, 75),
        judgement=judgement,
        detail=json.dumps(detail()),
        flags="stated_differs,evidence_not_found",
        **fields,
    )
    VerdictMark.objects.bulk_create(_marks(verdict))
    VerdictFinding.objects.bulk_create(_findings(verdict, response.text))
    make_request(judgement.pk)
    return Golden(verdict, response)


def _marks(verdict: Verdict) -> list[VerdictMark]:
    return [
        VerdictMark(
            verdict=verdict,
            position=position,
            dimension=dimension,
            key=key,
            label=label,
            value_exact=str(value),
            value_nano=value * 10**9,
            band=band,
            reasoning=f"Because of {label.lower()}.",
        )
        for position, (dimension, key, label, value, band) in enumerate(MARKS, 1)
    ]


def _findings(verdict: Verdict, text: str) -> list[VerdictFinding]:
    rows = []
    for position, (item_id, severity, found) in enumerate(item_ids(), 1):
        quote = quote_of(item_id) if found else ""
        start = text.find(quote) if found else -1
        state = "none" if not found else "verified" if start >= 0 else "not_found"
        rows.append(
            VerdictFinding(
                verdict=verdict,
                position=position,
                kind="baseline",
                item_id=item_id,
                category=severity,
                description=f"About {item_id}",
                weight=WEIGHTS[severity],
                found=found,
                evidence=quote,
                evidence_state=state,
                evidence_start=start if start >= 0 else None,
                evidence_end=start + len(quote) if start >= 0 else None,
            )
        )
    claims = [
        ("novel", "E-mail is sent before the commit", True, ""),
        ("novel", "Currency is taken from the request", True, ""),
        ("false_positive", "The webhook is unsigned", False, "line 88 verifies the signature"),
    ]
    for position, (kind, description, found, reasoning) in enumerate(claims, len(rows) + 1):
        rows.append(
            VerdictFinding(
                verdict=verdict,
                position=position,
                kind=kind,
                description=description,
                found=found,
                reasoning=reasoning,
                evidence_state="none",
            )
        )
    return rows


def make_request(judgement_id: int, reply: str = '{"total": 79.8}', **fields: Any) -> LedgerEntry:
    prefix = PromptText.objects.get_or_create(
        sha256=factories.digest("prefix"), defaults={"text": "You judge one code review."}
    )[0]
    turns = [{"role": "user", "content": "<<response 8f1c9a>> … <<end 8f1c9a>>"}]
    defaults: dict[str, Any] = {
        "attempt": 1,
        "ordinal": 1,
        "state": LedgerState.ANSWERED,
        "max_tokens": 8000,
        "opened_at": factories.NOON,
        "closed_at": factories.NOON + timedelta(seconds=12),
        "status": 200,
        "request_id": "req_01hq7Zk3mD9v",
        "returned_model": "claude-sonnet-5-5",
        "stop_reason": "end_turn",
        "input_tokens": 1912,
        "cache_read_tokens": 7340,
        "output_tokens": 1486,
        "cost_nano_usd": 19_400_000,
        "latency_ms": 11_800,
    }
    return LedgerEntry.objects.create(
        judgement_id=judgement_id,
        system=prefix,
        messages=zlib.compress(json.dumps(turns).encode()),
        reply=zlib.compress(json.dumps({"text": reply}).encode()),
        **{**defaults, **fields},
    )
