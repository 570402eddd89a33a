"""Behaviours under list names. Among the lists may stand a nested list of bonus items
(`bonus_tests`) or a scalar (`total_tests: 26`), which is kept."""

from rubrics_app.importers.by_category import read_by_category
from rubrics_app.importers.items import ListReading
from rubrics_app.importers.tree import Kind, Note, Value


def matches(list_name: str, value: Value) -> bool:
    return list_name == "baseline_criteria" and value.kind is Kind.MAP


def read(list_name: str, value: Value, notes: list[Note]) -> ListReading:
    return read_by_category(list_name, value, notes)
