"""What a response claims and what became of each claim, as the page of a verdict shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgeweb.judging.types import Claim, EvidenceState
from verdicts_app.boards.requests_made import RequestMade, requests_of_extraction
from verdicts_app.models import Extraction, Verdict

WORDS = {
    "valid": "valid, on no list",
    "invalid": "false positive",
    "no_finding": "no finding",
}
SIGNS = {"listed": "good", "valid": "good", "invalid": "bad"}


@dataclass(frozen=True)
class Ruling:
    """How the judge ruled on a claim in one order ("" where there is but one)."""

    order: str
    ruling: str
    items: tuple[str, ...]
    reasoning: str

    @property
    def words(self) -> str:
        if self.ruling in WORDS:
            return WORDS[self.ruling]
        return f"matches {', '.join(self.items)}" if self.items else "listed, but by no item"

    @property
    def sign(self) -> str:
        return SIGNS.get(self.ruling, "") if self.items or self.ruling != "listed" else ""


@dataclass(frozen=True)
class ClaimRow:
    claim: Claim
    rulings: tuple[Ruling, ...]

    @property
    def is_lost(self) -> bool:
        return self.claim.evidence_state is EvidenceState.NOT_FOUND


@dataclass(frozen=True)
class ClaimTable:
    """The claims of one response. `contestant` is its label in a comparison. `is_own`: they were
    extracted under the judgement of this verdict, among whose requests that one stands; else
    `requests` are those of the judgement that asked."""

    contestant: str
    extraction: Extraction
    flags: tuple[str, ...]
    rows: tuple[ClaimRow, ...]
    is_own: bool
    requests: tuple[RequestMade, ...]


def claim_tables(verdict: Verdict) -> tuple[ClaimTable, ...]:
    """None where the judge did not go by claims."""
    said = json.loads(verdict.detail or "{}").get("extra", {}).get("claims", [])
    by_contestant: dict[str, list[Mapping[str, Any]]] = {}
    for one in said:
        by_contestant.setdefault(one.get("contestant", ""), []).append(one)
    keys = {one["key"] for one in said}
    extractions = {row.key: row for row in Extraction.objects.filter(key__in=keys)} if keys else {}
    return tuple(
        _table(verdict, contestant, extractions[ruled[0]["key"]], ruled)
        for contestant, ruled in by_contestant.items()
        if ruled[0]["key"] in extractions
    )


def _table(
    verdict: Verdict,
    contestant: str,
    extraction: Extraction,
    ruled: Sequence[Mapping[str, Any]],
) -> ClaimTable:
    rulings: dict[int, list[Ruling]] = {}
    for one in ruled:
        for row in one["rulings"]:
            rulings.setdefault(row["id"], []).append(
                Ruling(one.get("order", ""), row["ruling"], tuple(row["items"]), row["reasoning"])
            )
    is_own = extraction.judgement_id == verdict.judgement_id
    return ClaimTable(
        contestant=contestant,
        extraction=extraction,
        flags=tuple(json.loads(extraction.claims).get("flags", ())),
        rows=tuple(
            ClaimRow(claim, tuple(rulings.get(claim.number, ())))
            for claim in extraction.claim_list.claims
        ),
        is_own=is_own,
        requests=() if is_own else requests_of_extraction(extraction),
    )
