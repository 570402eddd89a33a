"""Reads what the judge found: checklist items, behaviours, claims outside the list (R5, R11).

Every id of the scenario must be answered exactly once. Weights, categories and descriptions come
from the pinned scenario, never from the reply. Each quote is looked up in the response.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judgeweb.judging.documents import ChecklistItem
from judgeweb.judging.evidence import QuoteFinder
from judgeweb.judging.schemas import BOOLEAN, QUOTE, TEXT, Schema, id_schema, record, rows_of
from judgeweb.judging.strict import StrictReader
from judgeweb.judging.text import is_blank, shown
from judgeweb.judging.types import EvidenceState, Finding, FindingKind, Flag

SEVERITY_WEIGHTS = {"critical": 15, "high": 10, "medium": 5, "low": 2}
CATEGORY_WEIGHT = 5  # any other category: happy_path, validation, ...
BONUS_POINTS = 3


@dataclass(frozen=True)
class ItemList:
    """One list of the scenario and its names in the reply.

    `key` is the list's name, `answer` the name of its boolean (found, demonstrated).
    `flat_weight` replaces the severity weights where every item counts the same.
    """

    key: str
    answer: str
    kind: FindingKind
    items: tuple[ChecklistItem, ...]
    flat_weight: int = 0

    def weight(self, item: ChecklistItem) -> int:
        return self.flat_weight or SEVERITY_WEIGHTS.get(item.category.lower(), CATEGORY_WEIGHT)

    def schema(self) -> Schema:
        identity = id_schema(tuple(item.id for item in self.items))
        return rows_of(record(id=identity, evidence=QUOTE, **{self.answer: BOOLEAN}))

    def unanswered(self) -> tuple[Finding, ...]:
        """The findings of a response in which nothing can be found."""
        return tuple(
            Finding(
                kind=self.kind,
                item_id=item.id,
                category=item.category,
                description=item.description,
                weight=self.weight(item),
                found=False,
            )
            for item in self.items
        )


NOVEL_SCHEMA = rows_of(record(description=TEXT, evidence=QUOTE, reasoning=TEXT, valid=BOOLEAN))
FALSE_SCHEMA = rows_of(record(claim=TEXT, evidence=QUOTE, why_invalid=TEXT))


@dataclass
class FindingReader:
    """Reads the findings on one response into `strict`. `extra` is what goes onto the verdict
    beside them."""

    strict: StrictReader
    extra: dict[str, Any] = field(default_factory=dict, kw_only=True)

    def claims(self, payload: Mapping[str, Any]) -> tuple[Finding, ...]:
        """Findings outside the lists."""
        raise NotImplementedError

    def _evidence(
        self, row: Mapping[str, Any]
    ) -> tuple[str, EvidenceState, tuple[int, int] | None]:
        """The words that show an item, whether and where they stand in the response."""
        raise NotImplementedError

    def items(self, lists: tuple[ItemList, ...], payload: Mapping[str, Any]) -> tuple[Finding, ...]:
        """One finding for each item, in scenario order. Rows may stand in either list."""
        rows = self._rows_by_id(lists, payload)
        findings = []
        for item_list in lists:
            for item in item_list.items:
                answers = rows.pop(item.id, [])
                if len(answers) > 1:
                    self.strict.incomplete(f"id {item.id} is answered {len(answers)} times")
                elif not answers:
                    self.strict.incomplete(f"id {item.id} is missing from {item_list.key}")
                else:
                    findings.append(self._item(item_list, item, answers[0]))
        for invented in rows:
            self.strict.flag(Flag.INVENTED_ID, f"Not on the list, not counted: {shown(invented)}")
        return tuple(findings)

    def _rows_by_id(
        self, lists: tuple[ItemList, ...], payload: Mapping[str, Any]
    ) -> dict[str, list[Mapping[str, Any]]]:
        rows: dict[str, list[Mapping[str, Any]]] = {}
        for item_list in lists:
            if not item_list.items and payload.get(item_list.key) is None:
                continue
            for row in self.strict.rows(payload.get(item_list.key), item_list.key):
                content = self.strict.mapping(row, f"an entry of {item_list.key}")
                if content:
                    rows.setdefault(str(content.get("id", "")).strip(), []).append(content)
        return rows

    def _item(self, item_list: ItemList, item: ChecklistItem, row: Mapping[str, Any]) -> Finding:
        # The seed's lists name the boolean differently; both names are understood in both lists.
        named = (item_list.answer, "found", "demonstrated")
        answer = item_list.answer if item_list.answer in row else ""
        answer = answer or next((key for key in named if key in row), item_list.answer)
        found = self.strict.boolean(row, answer, f"id {item.id}")
        evidence, state, at = self._evidence(row)
        if found and state is EvidenceState.NONE:
            self.strict.flag(Flag.FOUND_WITHOUT_EVIDENCE)
        stated = str(row.get("severity", item.category))
        if stated.lower() != item.category.lower():
            self.strict.notes.append(
                f"{item.id} is {item.category} in the scenario, {shown(stated)} in the reply."
            )
        return Finding(
            kind=item_list.kind,
            item_id=item.id,
            category=item.category,
            description=item.description,
            weight=item_list.weight(item),
            found=found,
            evidence=evidence,
            evidence_state=state,
            evidence_at=at,
            reasoning=self.strict.text(row.get("reasoning")),
        )


@dataclass
class QuoteReader(FindingReader):
    """Where the judge quotes the response itself: each quote is looked up in it."""

    quotes: QuoteFinder

    def claims(self, payload: Mapping[str, Any]) -> tuple[Finding, ...]:
        """Findings outside the list: novel ones with the judge's ruling, and false positives.

        A list that is left out claims nothing: only checklist ids must be complete (R5).
        """
        novel = self._rows_or_none(payload, "novel_findings")
        false = self._rows_or_none(payload, "false_positives")
        return tuple(
            [self._claim(FindingKind.NOVEL, row) for row in novel]
            + [self._claim(FindingKind.FALSE_POSITIVE, row) for row in false]
        )

    def _rows_or_none(self, payload: Mapping[str, Any], key: str) -> list[Any]:
        if payload.get(key) is None:
            self.strict.notes.append(f"The judge left {key} out: read as none.")
            return []
        return self.strict.rows(payload[key], key)

    def _claim(self, kind: FindingKind, row: Any) -> Finding:
        is_novel = kind is FindingKind.NOVEL
        place = "an entry of novel_findings" if is_novel else "an entry of false_positives"
        content = self.strict.mapping(row, place)
        words = content.get("description" if is_novel else "claim")
        evidence, state, at = self._evidence(content)
        return Finding(
            kind=kind,
            item_id="",
            category="",
            description=self.strict.text(words),
            weight=BONUS_POINTS if is_novel else 0,
            found=bool(content) and is_novel and self.strict.boolean(content, "valid", place),
            evidence=evidence,
            evidence_state=state,
            evidence_at=at,
            reasoning=self.strict.text(content.get("reasoning" if is_novel else "why_invalid")),
        )

    def _evidence(
        self, row: Mapping[str, Any]
    ) -> tuple[str, EvidenceState, tuple[int, int] | None]:
        quote = self.strict.text(row.get("evidence"))
        if is_blank(quote):
            return "", EvidenceState.NONE, None
        state, at = self.quotes.check(quote)
        if state is EvidenceState.NOT_FOUND:
            self.strict.flag(Flag.EVIDENCE_NOT_FOUND)
        return quote, state, at
