"""Issues under list names of the author's own (happy_path, exit_codes, ...), severities among
them or not. Each such item weighs the same."""

from rubrics_app.importers.by_category import read_by_category
from rubrics_app.importers.items import ListReading
from rubrics_app.importers.tree import Kind, Note, Value


def matches(list_name: str, value: Value) -> bool:
    return list_name == "baseline_issues" and value.kind is Kind.MAP


def read(list_name: str, value: Value, notes: list[Note]) -> ListReading:
    return read_by_category(list_name, value, notes)
