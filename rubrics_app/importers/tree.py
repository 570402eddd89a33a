"""A document as it was written: scalars keep their text, every value knows its line.

YAML guesses types (`theme: 1984`, `version: 1.10`, `at: 12:30`); whoever reads a value here says
whether a text or a number is wanted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from judgeweb.judging.text import visible

MAX_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 60
MAX_VALUES = 100_000


class Kind(StrEnum):
    TEXT = "text"
    NUMBER = "a number"
    BOOLEAN = "true or false"
    NOTHING = "nothing"
    LIST = "a list"
    MAP = "a map"


@dataclass(frozen=True)
class Note:
    """Something to tell the importer of a file. `line` counts from 1, None where not known."""

    place: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        at = f"line {self.line}, " if self.line else ""
        return f"{at}{self.place}: {self.message}" if self.place else f"{at}{self.message}"


class FileRefused(Exception):
    """The file cannot be imported, and nothing of it was."""

    def __init__(self, place: str, message: str, line: int | None = None) -> None:
        self.note = Note(place, message, line)
        super().__init__(str(self.note))


_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})\.\d{1,15}")


@dataclass(frozen=True)
class Value:
    kind: Kind
    text: str = ""
    line: int | None = None
    items: tuple["Value", ...] = ()
    entries: tuple[tuple[str, "Value"], ...] = ()

    @property
    def is_scalar(self) -> bool:
        return self.kind not in (Kind.LIST, Kind.MAP)

    @property
    def is_empty(self) -> bool:
        """Nothing at all, or a list or map without a member."""
        return self.kind is Kind.NOTHING or not (self.is_scalar or self.items or self.entries)

    def get(self, key: str) -> "Value | None":
        """The entry of a map; None where it is absent or says nothing."""
        found = dict(self.entries).get(key)
        return None if found is None or found.kind is Kind.NOTHING else found

    def plain(self) -> Any:
        """As JSON can hold it. Only a number that comes back as written is one; dates are text."""
        match self.kind:
            case Kind.NOTHING:
                return None
            case Kind.BOOLEAN:
                return self.text.lower() in ("true", "yes", "on")
            case Kind.LIST:
                return [item.plain() for item in self.items]
            case Kind.MAP:
                return {key: value.plain() for key, value in self.entries}
            case Kind.NUMBER if _INTEGER.fullmatch(self.text):
                return int(self.text)
            case Kind.NUMBER if _DECIMAL.fullmatch(self.text):
                return float(self.text)
        return self.text

    def lines(self, indent: str = "") -> Iterator[str]:
        """As people write it: `key: value` and `- item`, nested by indent."""
        if self.is_scalar:
            yield from (indent + line for line in self.text.splitlines() or [""])
        for item in self.items:
            first, *rest = list(item.lines()) or [""]
            yield f"{indent}- {first}"
            yield from (f"{indent}  {line}" for line in rest)
        for key, value in self.entries:
            if value.is_scalar and "\n" not in value.text.strip():
                yield f"{indent}{key}: {value.text.strip()}".rstrip()
            else:
                yield f"{indent}{key}:"
                yield from value.lines(indent + "  ")


def text_of(value: Value | None, place: str) -> str:
    """The text of a scalar as written (NUL and lone surrogates as visible escapes), empty for
    nothing. Raise FileRefused for list and map."""
    if value is None or value.kind is Kind.NOTHING:
        return ""
    if not value.is_scalar:
        raise FileRefused(place, f"must be text, but is {value.kind}", value.line)
    return visible(value.text)[0]
