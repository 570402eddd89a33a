"""A document as lines for people, and two of them side by side."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from judgeweb.judging.documents import Document

CONTEXT = 3


def document_lines(document: Document) -> list[str]:
    """One value a line, nested by indent; a text keeps its lines. Empty values are left out."""
    values = document.model_dump(mode="json")
    if extras := values.get("extras"):
        values["extras"] = json.loads(extras)
    return list(_lines(values))


def _lines(value: Any, indent: str = "") -> Iterator[str]:
    match value:
        case dict():
            for key, inner in value.items():
                yield from _entry(key, inner, indent)
        case list():
            for inner in value:
                first, *rest = list(_lines(inner)) or [""]
                yield f"{indent}- {first}"
                yield from (f"{indent}  {line}" for line in rest)
        case _:
            yield from (indent + line for line in _text(value).splitlines() or [""])


def _entry(key: str, value: Any, indent: str) -> Iterator[str]:
    if value in ("", [], {}, None):
        return
    if isinstance(value, dict | list) or "\n" in _text(value):
        yield f"{indent}{key}:"
        yield from _lines(value, indent + "  ")
    else:
        yield f"{indent}{key}: {_text(value)}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class Row:
    """One line of a comparison. `change` is "", "changed", "added", "removed" or "skipped"."""

    change: str
    left: str
    right: str


def side_by_side(old: list[str], new: list[str]) -> list[Row]:
    """What differs, with a few equal lines around it. Empty where nothing does."""
    if old == new:
        return []
    rows: list[Row] = []
    matcher = SequenceMatcher(a=old, b=new, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        if group[0][1] > 0:
            rows.append(Row("skipped", "…", "…"))
        for tag, old_from, old_to, new_from, new_to in group:
            rows += _rows(tag, old[old_from:old_to], new[new_from:new_to])
    return rows


def _rows(tag: str, left: list[str], right: list[str]) -> Iterator[Row]:
    change = {"equal": "", "replace": "changed", "delete": "removed", "insert": "added"}[tag]
    for number in range(max(len(left), len(right))):
        yield Row(
            change,
            left[number] if number < len(left) else "",
            right[number] if number < len(right) else "",
        )
