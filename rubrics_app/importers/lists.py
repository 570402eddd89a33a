"""The shapes in which a scenario file writes its lists: one format, one file, one line."""

from typing import Protocol

from rubrics_app.importers import (
    bonus_by_category,
    criteria_by_category,
    flat_list,
    issues_by_category,
    issues_by_severity,
)
from rubrics_app.importers.items import ListReading
from rubrics_app.importers.tree import FileRefused, Note, Value


class Format(Protocol):
    """What the module of a format offers."""

    def matches(self, list_name: str, value: Value) -> bool: ...

    def read(self, list_name: str, value: Value, notes: list[Note]) -> ListReading: ...


# The first that matches reads the list, so the narrower shape stands above the wider.
FORMATS: dict[str, Format] = {
    "issues by severity": issues_by_severity,
    "issues by category": issues_by_category,
    "criteria by category": criteria_by_category,
    "bonus by category": bonus_by_category,
    "flat list": flat_list,
}


def read_list(name: str, value: Value, notes: list[Note]) -> ListReading:
    """Raise FileRefused where no format knows the shape."""
    for known in FORMATS.values():
        if known.matches(name, value):
            return known.read(name, value, notes)
    raise FileRefused(name, f"{value.kind} is no shape of a list of items", value.line)
