"""YAML files as documents: scalars as JSON would have them, every value with its line.

YAML guesses types (`theme: 1984`, `at: 12:30`, `0x1F`): only what is a number in JSON becomes one,
digit by digit; dates and everything else stay the text that was written.
"""

import re
from decimal import Decimal
from typing import Any

from rubrics_app.importers import FileRefused, Note, read_tree
from rubrics_app.importers.tree import Kind, Value

__all__ = ["FileRefused", "Kind", "Note", "Value", "document_of", "line_of", "read_tree"]

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?")
_STEP = re.compile(r"([^.\[\]]+)|\[([0-9]+)\]")


def document_of(value: Value) -> Any:
    """Numbers come as int or Decimal."""
    match value.kind:
        case Kind.NOTHING:
            return None
        case Kind.BOOLEAN:
            return value.text.lower() in ("true", "yes", "on")
        case Kind.LIST:
            return [document_of(item) for item in value.items]
        case Kind.MAP:
            return {key: document_of(inner) for key, inner in value.entries}
        case Kind.NUMBER if found := _NUMBER.fullmatch(value.text):
            return Decimal(value.text) if found[1] else int(value.text)
    return value.text


def line_of(value: Value, path: str) -> int | None:
    """The line of `findings[2].caught`, or of the last part of the path that is there."""
    line = value.line
    for key, index in _STEP.findall(path):
        inner = _inner(value, key, index)
        if inner is None:
            return line
        value, line = inner, inner.line or line
    return line


def _inner(value: Value, key: str, index: str) -> Value | None:
    if index:
        at = int(index[:9])
        return value.items[at] if at < len(value.items) else None
    return dict(value.entries).get(key)
