"""The checklist sheet by claims: which of the response's claims match which known issue?

The claims were extracted beforehand and are the same for every judge. Each is ruled on exactly
once, each item names the claims that identify it. Arithmetic as in `checklist`: a claim ruled
invalid is a false positive, one ruled valid a novel finding, and one that matches an item neither.
A claim that matches an item and is ruled something else counts as the match and is flagged: the
checklist says that it is true. Without claims nothing is found and nothing is false.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from judgeweb.judging.documents import ChecklistItem
from judgeweb.judging.findings import BONUS_POINTS, FindingReader, ItemList
from judgeweb.judging.schemas import BOOLEAN, TEXT, Schema, id_schema, record, rows_of
from judgeweb.judging.sheets.checklist import ChecklistSheet
from judgeweb.judging.strict import StrictReader
from judgeweb.judging.text import shown
from judgeweb.judging.types import (
    Case,
    Claim,
    ClaimList,
    Contestant,
    EvidenceState,
    Finding,
    FindingKind,
    Flag,
)

_BARE_NUMERAL = re.compile(r"\s*[0-9]{1,6}\s*")
LISTED, VALID, INVALID, NO_FINDING = "listed", "valid", "invalid", "no_finding"
RULINGS = (LISTED, VALID, INVALID, NO_FINDING)
NUMBER: Schema = {"type": "integer", "description": "number of the claim"}
# The numbers are no enum: with one schema for all responses the provider compiles it once.
RULING_SCHEMA = rows_of(
    record(
        id=NUMBER,
        reasoning=TEXT,
        ruling={
            **TEXT,
            "enum": list(RULINGS),
            "description": "listed, valid, invalid or no_finding",
        },
    )
)


class ClaimedSheet(ChecklistSheet):
    task: ClassVar[str] = (
        "What the response claims was listed beforehand, without sight of the list of expected "
        "findings; the numbered claims stand below the response. Rule on each of them exactly "
        "once: listed where it identifies an item of the list; valid where it is on no list, right "
        "and worth acting on; invalid where it is wrong; no_finding where it is right and no "
        "finding.\n"
        "Answer every id of the list exactly once: found is true only where a claim identifies "
        "that issue, and claims names the numbers of those that do. Where none does, found is "
        "false and claims is empty.\n"
        "Go by the claims, not by what the response could have meant besides."
    )

    def schema(self, case: Case) -> Schema:
        parts = dict(super().schema(case)["properties"])
        rulings = parts.pop("claim_rulings")
        lists = {one.key: _rows(one) for one in self.lists(case.scenario) if one.items}
        return record(claim_rulings=rulings, **(parts | lists))

    def claim_schemas(self) -> dict[str, Schema]:
        return {"claim_rulings": RULING_SCHEMA}

    def reader(self, strict: StrictReader, case: Case, contestant: Contestant) -> FindingReader:
        claims = case.claims_of(contestant)
        assert claims is not None, "a response is matched by its claims"
        return ClaimReader(strict, claims)


def _rows(item_list: ItemList) -> Schema:
    identity = id_schema(tuple(item.id for item in item_list.items))
    claims = {"type": "array", "items": NUMBER}
    return rows_of(record(id=identity, claims=claims, **{item_list.answer: BOOLEAN}))


@dataclass
class ClaimReader(FindingReader):
    """Reads which claims match which item, and how the others were ruled on, into `strict`.

    `matched` names, by claim, the items found that it identifies."""

    listed: ClaimList
    matched: dict[int, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._claims = {claim.number: claim for claim in self.listed.claims}

    def _item(self, item_list: ItemList, item: ChecklistItem, row: Mapping[str, Any]) -> Finding:
        faults = len(self.strict.faults)
        finding = super()._item(item_list, item, row)
        named = self._named(row, f"id {item.id}")
        if len(self.strict.faults) > faults:
            return finding
        if finding.found and not named:
            self.strict.invalid(f"id {item.id}: found is true, but claims names no claim")
        if named and not finding.found:
            numbers = ", ".join(str(claim.number) for claim in named)
            self.strict.notes.append(f"{item.id} is not found, though it names claim {numbers}.")
            return finding
        for claim in named:
            self.matched.setdefault(claim.number, []).append(item.id)
        return finding

    def _evidence(
        self, row: Mapping[str, Any]
    ) -> tuple[str, EvidenceState, tuple[int, int] | None]:
        """The words of the first claim that matches."""
        given = row.get("claims")
        for value in given if isinstance(given, list) and row.get("found") is True else ():
            claim = self._claims.get(_number(value) or 0)
            if claim is not None:
                return self._quoted(claim)
        return "", EvidenceState.NONE, None

    def _quoted(self, claim: Claim) -> tuple[str, EvidenceState, tuple[int, int] | None]:
        if claim.evidence_state is EvidenceState.NOT_FOUND:
            self.strict.flag(Flag.EVIDENCE_NOT_FOUND)
        return claim.quote, claim.evidence_state, claim.evidence_at

    def _named(self, row: Mapping[str, Any], place: str) -> list[Claim]:
        """The claims that an item names; unknown numbers are kept as a note."""
        named: dict[int, Claim] = {}
        for value in self.strict.rows(row.get("claims"), f"{place}: claims"):
            number = self._read_number(value)
            if number is None:
                self.strict.invalid(f"{place}: claims holds {shown(value)}, which is no number")
            elif number in self._claims:
                named[number] = self._claims[number]
            else:
                self._invented(value)
        return list(named.values())

    def _read_number(self, value: Any) -> int | None:
        number = _number(value)
        if number is not None and isinstance(value, str):
            self.strict.flag(Flag.COERCED)
        return number

    def _invented(self, number: Any) -> None:
        self.strict.flag(Flag.INVENTED_ID, f"No such claim, not counted: {shown(number)}")

    # --- rulings -------------------------------------------------------------------------------

    def claims(self, payload: Mapping[str, Any]) -> tuple[Finding, ...]:
        """Every claim must be ruled on exactly once, as every id must be answered (R5)."""
        rulings = self._rulings(payload)
        findings: list[Finding] = []
        said: list[dict[str, Any]] = []
        for number, claim in self._claims.items():
            row = rulings.get(number)
            if row is None:
                continue
            ruling = self._counted(claim, row["ruling"])
            reasoning = self.strict.text(row.get("reasoning"))
            items = self.matched.get(number, [])
            said.append({"id": number, "ruling": ruling, "items": items, "reasoning": reasoning})
            if ruling in (VALID, INVALID):
                findings.append(self._finding(claim, ruling, reasoning))
        self.extra = {"claims": [{"key": self.listed.key, "rulings": said}]}
        return tuple(findings)

    def _rulings(self, payload: Mapping[str, Any]) -> dict[int, Mapping[str, Any]]:
        """By claim, those that can be taken; the others are faults."""
        given = payload.get("claim_rulings")
        if given is None and not self._claims:
            return {}
        rows = self.strict.rows(given, "claim_rulings")
        contents = [self.strict.mapping(row, "an entry of claim_rulings") for row in rows]
        numbered = [(self._read_number(row.get("id")), row) for row in contents if row]
        counts = Counter(number for number, _ in numbered)
        taken: dict[int, Mapping[str, Any]] = {}
        for number, row in numbered:
            if number is None or number not in self._claims:
                self._invented(row.get("id"))
            elif row.get("ruling") not in RULINGS:
                words = ", ".join(RULINGS)
                self.strict.invalid(
                    f"claim {number}: ruling must be one of {words}, not {shown(row.get('ruling'))}"
                )
            else:
                taken[number] = row
        for number in self._claims:
            if counts[number] > 1:
                self.strict.incomplete(f"claim {number} is ruled on {counts[number]} times")
            elif not counts[number]:
                self.strict.incomplete(f"claim {number} is missing from claim_rulings")
        return taken

    def _counted(self, claim: Claim, ruling: str) -> str:
        """What the claim counts as. A match outweighs any other ruling."""
        items = self.matched.get(claim.number)
        if items and ruling != LISTED:
            note = (
                f"Claim {claim.number} matches {', '.join(items)} and was ruled {ruling}: "
                "it counts as the match."
            )
            self.strict.flag(Flag.CLAIM_CONFLICT, note)
            return LISTED
        if ruling == LISTED and not items:
            self.strict.notes.append(
                f"Claim {claim.number} was ruled listed, and no item names it: not counted."
            )
        return ruling

    def _finding(self, claim: Claim, ruling: str, reasoning: str) -> Finding:
        is_valid = ruling == VALID
        quote, state, at = self._quoted(claim)
        return Finding(
            kind=FindingKind.NOVEL if is_valid else FindingKind.FALSE_POSITIVE,
            item_id="",
            category="",
            description=claim.text,
            weight=BONUS_POINTS if is_valid else 0,
            found=is_valid,
            evidence=quote,
            evidence_state=state,
            evidence_at=at,
            reasoning=reasoning,
        )


def _number(value: Any) -> int | None:
    """A whole number, or the text of one."""
    if isinstance(value, str) and _BARE_NUMERAL.fullmatch(value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
