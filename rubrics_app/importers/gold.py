"""The gold standard of a scenario file: nothing, the short shape, or the longer planned one."""

from typing import Any

from judgeweb.judging.documents import GoldDocument, load_document
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.importers.tree import FileRefused, Kind, Value, text_of

PLACE = "gold_standard"
_READ = {"response", "score", "graded_by", "author", "notes", "rationale", "show_score"}


def read_gold(value: Value | None, *, scenario: str) -> tuple[GoldDocument | None, dict[str, Any]]:
    """The gold standard and what else stood there, for the extras.

    `author` and `rationale` of the planned shape are `graded_by` and `notes` of the short one.
    """
    if value is None or value.is_empty:
        return None, {}
    if value.kind is not Kind.MAP:
        raise FileRefused(PLACE, f"must be a map, but is {value.kind}", value.line)
    show_score = value.get("show_score")
    values = {
        "scenario": scenario,
        "response": text_of(value.get("response"), f"{PLACE}.response"),
        "score": text_of(value.get("score"), f"{PLACE}.score"),
        "graded_by": _first(value, "graded_by", "author"),
        "notes": _first(value, "notes", "rationale"),
        "show_score": show_score.plain() if show_score else True,
    }
    try:
        gold = load_document(GoldDocument, values)
    except DocumentInvalid as error:
        place, message = error.problems[0]
        found = value.get(place)
        line = found.line if found else value.line
        raise FileRefused(f"{PLACE}.{place}", message, line) from error
    return gold, {key: inner.plain() for key, inner in value.entries if key not in _READ}


def _first(value: Value, *keys: str) -> str:
    for key in keys:
        if text := text_of(value.get(key), f"{PLACE}.{key}").strip():
            return text
    return ""
