"""Single values out of an uploaded document: taken whole and of the right type, or refused.

Every refusal names the field, so that the sender can find it.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Any, NamedTuple

from judgeweb.judging.text import shown, visible

LARGEST_INTEGER = 2**63 - 1
LARGEST_COST_USD = 1_000_000
NANO = 10**9
WITH_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d")
ABSENT = object()


class FieldRefused(Exception):
    """The document cannot be taken because of one value."""

    def __init__(self, field: str, message: str, value: Any = None) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message
        self.value = value


class Moment(NamedTuple):
    at: datetime
    is_naive: bool


def first(document: Mapping[str, Any], *paths: str) -> tuple[str, Any]:
    """The first path ("proof.agent_response_text") that is there, and its value.

    The value is ABSENT where none is; a null counts as there."""
    for path in paths:
        value: Any = document
        for part in path.split("."):
            value = value.get(part, ABSENT) if isinstance(value, Mapping) else ABSENT
        if value is not ABSENT:
            return path, value
    return paths[0], ABSENT


def folded(words: str) -> str:
    """A name as it is stored: on one line, unsendable characters as visible escapes."""
    return " ".join(visible(words)[0].split())


def name(document: Mapping[str, Any], *paths: str, most: int) -> str:
    """A text whose white space is folded, so that a name cannot start a line of its own."""
    return _short(document, paths, folded, most)


def text(document: Mapping[str, Any], *paths: str, most: int) -> str:
    """A short text, fit for a column: unsendable characters as visible escapes, "" if absent."""
    return _short(document, paths, lambda words: visible(words.strip())[0], most)


def _short(
    document: Mapping[str, Any], paths: tuple[str, ...], fit: Callable[[str], str], most: int
) -> str:
    """A whole number stands for its digits: there is a theme named 1984."""
    path, value = first(document, *paths)
    if value is ABSENT or value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise FieldRefused(path, f"expected text, not {shown(value)}", value)
    safe = fit(value)
    if len(safe) > most:
        raise FieldRefused(path, f"{len(safe)} characters; at most {most} are allowed", value)
    return safe


def truth(document: Mapping[str, Any], path: str) -> bool | None:
    """true, false, or None where absent or null."""
    _, value = first(document, path)
    if value is ABSENT or value is None:
        return None
    if not isinstance(value, bool):
        raise FieldRefused(path, f"expected true or false, not {shown(value)}", value)
    return value


def whole(
    document: Mapping[str, Any], *paths: str, most: int = LARGEST_INTEGER, cut: bool = False
) -> int | None:
    """A whole number from 0: 12.0 and 1e3 are, 12.5, "12", true and -5 are not.

    `cut` drops the decimals instead (for durations)."""
    path, value = first(document, *paths)
    if value is ABSENT or value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FieldRefused(path, f"expected a whole number, not {shown(value)}", value)
    if value != int(value) and not cut:
        raise FieldRefused(path, f"expected a whole number, not {shown(value)}", value)
    if not 0 <= value <= most:
        raise FieldRefused(path, f"expected 0 to {most}, not {shown(value)}", value)
    return int(value)


def nano_usd(document: Mapping[str, Any], *paths: str) -> int | None:
    """US dollars in units of 1e-9."""
    path, value = first(document, *paths)
    if value is ABSENT or value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FieldRefused(path, f"expected US dollars as a number, not {shown(value)}", value)
    if not 0 <= value <= LARGEST_COST_USD:
        raise FieldRefused(path, f"expected 0 to {LARGEST_COST_USD}, not {shown(value)}", value)
    return round(Decimal(repr(value)) * NANO)


def moment(document: Mapping[str, Any], *paths: str, zone: tzinfo) -> Moment | None:
    """An ISO-8601 time; one without a zone is read in `zone` and marked. Nanoseconds are cut."""
    path, value = first(document, *paths)
    if value is ABSENT or value is None or value == "":
        return None
    expected = "expected an ISO-8601 time with date and hour"
    if not isinstance(value, str) or not WITH_TIME.match(value):
        raise FieldRefused(path, f"{expected}, not {shown(value)}", value)
    try:
        at = datetime.fromisoformat(value)
        if at.tzinfo is not None:
            at.timestamp()
            return Moment(at, is_naive=False)
        return Moment(at.replace(tzinfo=zone), is_naive=True)
    except (ValueError, OverflowError) as error:
        raise FieldRefused(path, f"{expected}, not {shown(value)}", value) from error
