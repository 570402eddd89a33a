"""Issues under their severities: critical, high, medium, low; a subset, or empty lists."""

from rubrics_app.importers.items import ListReading, read_items
from rubrics_app.importers.tree import Kind, Note, Value

SEVERITIES = ("critical", "high", "medium", "low")


def matches(list_name: str, value: Value) -> bool:
    return (
        list_name.endswith("_issues")
        and value.kind is Kind.MAP
        and all(
            key.lower() in SEVERITIES and (inner.kind is Kind.LIST or inner.is_empty)
            for key, inner in value.entries
        )
    )


def read(list_name: str, value: Value, notes: list[Note]) -> ListReading:
    reading = ListReading()
    for key, inner in value.entries:
        reading.items += read_items(
            inner, category=key.lower(), place=f"{list_name}.{key}", notes=notes
        )
    return reading
