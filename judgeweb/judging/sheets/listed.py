"""What the two list sheets share: marks in a group per dimension, findings item by item."""

from collections.abc import Mapping
from typing import Any

from judgeweb.judging.documents import ChecklistItem, Dimension, RubricDocument, ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.findings import FindingReader, ItemList
from judgeweb.judging.schemas import TEXT, Schema, mark_schema, record
from judgeweb.judging.sheets.generic import GenericSheet, note_unknown, read_mark
from judgeweb.judging.strict import StrictReader
from judgeweb.judging.types import Case, Finding, Mark


class ListedSheet(GenericSheet):
    """A sheet over a baseline list and a bonus list."""

    def lists(self, scenario: ScenarioDocument) -> tuple[ItemList, ItemList]:
        """Baseline and bonus."""
        raise NotImplementedError

    def claim_schemas(self) -> dict[str, Schema]:
        return {}

    def items(self, scenario: ScenarioDocument) -> tuple[ChecklistItem, ...]:
        return tuple(item for item_list in self.lists(scenario) for item in item_list.items)

    def check(self, case: Case) -> None:
        baseline, _ = self.lists(case.scenario)
        if not baseline.items:
            raise CaseRefused(
                "checklist", f"Scenario {case.scenario.name!r} has no baseline list to judge by."
            )
        if not any(one.key == self.computed and not one.marks for one in case.rubric.dimensions):
            raise CaseRefused("rubric", f"The rubric has no computed dimension {self.computed!r}.")
        super().check(case)

    def schema(self, case: Case) -> Schema:
        mark = mark_schema(whole_numbers=case.rubric.whole_numbers)
        lists = {one.key: one.schema() for one in self.lists(case.scenario) if one.items}
        groups = {
            dimension.key: record(**{spec.key: mark for spec in dimension.marks})
            for dimension in _marked(case.rubric)
        }
        return record(**lists, **self.claim_schemas(), **groups, assessment=TEXT)

    def read_marks(
        self, strict: StrictReader, rubric: RubricDocument, payload: Mapping[str, Any]
    ) -> list[Mark]:
        marks = []
        for dimension in _marked(rubric):
            group = strict.mapping(payload.get(dimension.key), dimension.key)
            note_unknown(strict, group, {"subtotal"} | {spec.key for spec in dimension.marks})
            marks += [
                read_mark(strict, rubric, dimension, spec, group.get(spec.key))
                for spec in dimension.marks
            ]
        return marks

    def read_findings(
        self, reader: FindingReader, case: Case, payload: Mapping[str, Any]
    ) -> tuple[Finding, ...]:
        return reader.items(self.lists(case.scenario), payload)

    def stated_names(self, case: Case) -> tuple[str, ...]:
        subtotals = tuple(f"{dimension.key}.subtotal" for dimension in case.rubric.dimensions)
        return (*super().stated_names(case), *subtotals)

    def unanswered(self, scenario: ScenarioDocument) -> tuple[Finding, ...]:
        return tuple(
            finding for item_list in self.lists(scenario) for finding in item_list.unanswered()
        )


def _marked(rubric: RubricDocument) -> list[Dimension]:
    return [dimension for dimension in rubric.dimensions if dimension.marks]


def by_category(
    items: tuple[ChecklistItem, ...], first: tuple[str, ...] = ()
) -> dict[str, list[ChecklistItem]]:
    """The items by category: those of `first` (any case) in its order, then the others."""
    groups: dict[str, list[ChecklistItem]] = {category: [] for category in first}
    for item in items:
        known = item.category.lower() in first
        groups.setdefault(item.category.lower() if known else item.category, []).append(item)
    return {category: members for category, members in groups.items() if members}


def item_lines(item: ChecklistItem) -> list[str]:
    """One item as the judge reads it."""
    return [f"- {item.id}: {item.description}", *(f"  {key}: {text}" for key, text in item.details)]
