"""One checklist item, and what a list of a scenario file gives."""

import json
from dataclasses import dataclass, field
from typing import Any

from judgeweb.judging.documents import ChecklistItem
from judgeweb.judging.text import is_blank
from rubrics_app.importers.tree import FileRefused, Kind, Note, Value, text_of


@dataclass
class ListReading:
    """`bonus` are items that stood nested in a baseline; `rest` is kept in the extras."""

    items: list[ChecklistItem] = field(default_factory=list)
    bonus: list[ChecklistItem] = field(default_factory=list)
    rest: dict[str, Any] = field(default_factory=dict)


def read_item(
    value: Value, *, category: str, place: str, number: int, notes: list[Note]
) -> ChecklistItem:
    """`number` counts the items of the list from 1 and names an item that has no id."""
    made_up = f"{category}-{number}"
    if value.is_scalar and value.kind is not Kind.NOTHING:
        notes.append(Note(place, f"has no id, called {made_up!r}", value.line))
        return ChecklistItem(id=made_up, category=category, description=value.text)
    if value.kind is not Kind.MAP:
        raise FileRefused(place, f"an item must be a map, but is {value.kind}", value.line)
    item_id = text_of(value.get("id"), f"{place}.id").strip()
    if not item_id:
        notes.append(Note(place, f"has no id, called {made_up!r}", value.line))
    description = text_of(value.get("description"), f"{place}.description").strip()
    if is_blank(description):
        raise FileRefused(f"{place}.description", "the item says nothing", value.line)
    return ChecklistItem(
        id=item_id or made_up,
        category=category,
        description=description,
        details=_details(value),
    )


def _details(value: Value) -> tuple[tuple[str, str], ...]:
    return tuple(
        (key, text)
        for key, detail in value.entries
        if key not in ("id", "description") and (text := _detail_text(detail))
    )


def _detail_text(value: Value) -> str:
    if value.is_scalar:
        return text_of(value, "").strip()
    return json.dumps(value.plain(), ensure_ascii=False)


def read_items(
    value: Value, *, category: str, place: str, notes: list[Note]
) -> list[ChecklistItem]:
    """The items of one list, all in `category`."""
    return [
        read_item(
            item, category=category, place=f"{place}[{number - 1}]", number=number, notes=notes
        )
        for number, item in enumerate(value.items, 1)
    ]
