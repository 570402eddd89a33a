"""One list without names: bonus items with points, or items that state their own severity."""

from rubrics_app.importers.issues_by_severity import SEVERITIES
from rubrics_app.importers.items import ListReading, read_item
from rubrics_app.importers.tree import Kind, Note, Value, text_of


def matches(list_name: str, value: Value) -> bool:
    return value.kind is Kind.LIST


def read(list_name: str, value: Value, notes: list[Note]) -> ListReading:
    unnamed = "bonus" if list_name.startswith("bonus_") else "general"
    reading = ListReading()
    for number, item in enumerate(value.items, 1):
        place = f"{list_name}[{number - 1}]"
        stated = text_of(item.get("severity"), f"{place}.severity").strip().lower()
        reading.items.append(
            read_item(
                item,
                category=stated if stated in SEVERITIES else unnamed,
                place=place,
                number=number,
                notes=notes,
            )
        )
    return reading
