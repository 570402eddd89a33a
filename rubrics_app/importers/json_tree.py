"""JSON into a tree. Numbers keep their text; a key given twice is said."""

import json
from typing import Any

from rubrics_app.importers.tree import MAX_DEPTH, MAX_VALUES, FileRefused, Kind, Note, Value


class _Number(str):
    """A number as written."""


class _Map(tuple[tuple[str, Any], ...]):
    """The pairs of an object, in order."""


def _not_a_number(text: str) -> None:
    raise FileRefused("", f"{text} is not a JSON number")


def read_json(text: str, notes: list[Note]) -> Value:
    """Raise FileRefused with the line where the text stops being JSON."""
    try:
        parsed = json.loads(
            text,
            object_pairs_hook=_Map,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_not_a_number,
        )
    except json.JSONDecodeError as error:
        raise FileRefused("", f"not JSON: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise FileRefused("", f"nested deeper than {MAX_DEPTH} levels") from error
    reader = _Reader(notes)
    return reader.value(parsed, "", depth=0)


class _Reader:
    def __init__(self, notes: list[Note]) -> None:
        self.notes = notes
        self.count = 0

    def value(self, parsed: Any, place: str, depth: int) -> Value:
        self.count += 1
        if depth > MAX_DEPTH:
            raise FileRefused(place, f"nested deeper than {MAX_DEPTH} levels")
        if self.count > MAX_VALUES:
            raise FileRefused(place, f"more than {MAX_VALUES} values")
        match parsed:
            case None:
                return Value(Kind.NOTHING)
            case bool():
                return Value(Kind.BOOLEAN, "true" if parsed else "false")
            case _Number():
                return Value(Kind.NUMBER, str(parsed))
            case str():
                return Value(Kind.TEXT, parsed)
            case _Map():
                return Value(Kind.MAP, entries=self._entries(parsed, place, depth))
        return Value(
            Kind.LIST,
            items=tuple(
                self.value(item, f"{place}[{i}]", depth + 1) for i, item in enumerate(parsed)
            ),
        )

    def _entries(self, pairs: _Map, place: str, depth: int) -> tuple[tuple[str, Value], ...]:
        own: dict[str, Value] = {}
        for key, parsed in pairs:
            below = f"{place}.{key}" if place else key
            if key in own:
                self.notes.append(Note(below, "the key stands twice; the last one counts"))
            own[key] = self.value(parsed, below, depth + 1)
        return tuple(own.items())
