"""What all lists under names share."""

from rubrics_app.importers.issues_by_severity import SEVERITIES
from rubrics_app.importers.items import ListReading, read_items
from rubrics_app.importers.tree import FileRefused, Kind, Note, Value


def read_by_category(list_name: str, value: Value, notes: list[Note]) -> ListReading:
    reading = ListReading()
    for key, inner in value.entries:
        place = f"{list_name}.{key}"
        if inner.kind is Kind.MAP:
            raise FileRefused(place, "must be a list of items, but is a map", inner.line)
        if inner.is_scalar:
            if inner.kind is not Kind.NOTHING:
                reading.rest[key] = inner.plain()
            continue
        category = key.lower() if key.lower() in SEVERITIES else key
        is_bonus = list_name.startswith("baseline_") and key.lower().startswith("bonus")
        items = read_items(inner, category=category, place=place, notes=notes)
        (reading.bonus if is_bonus else reading.items).extend(items)
    return reading
