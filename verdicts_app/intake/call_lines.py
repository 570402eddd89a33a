"""One line of calls.ndjson: read strictly, or refused by field.

Snake case and camel case are taken alike. What a line says beyond the known fields is kept.
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NoReturn

import msgspec
from django.conf import settings

from judgeweb.judging.strict_json import same
from judgeweb.judging.text import visible
from verdicts_app.intake import strict_json
from verdicts_app.intake.fields import LARGEST_INTEGER
from verdicts_app.intake.ndjson import BOM, WHITE_SPACE, Line
from verdicts_app.intake.strict_json import NotJson

TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)"
    r"(?:[.,](\d{1,30}))?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))",
    re.ASCII,
)

LONGEST_NAME = 200


class LineRefused(Exception):
    """Why a line cannot be taken; `field` is "" where no one field is at fault."""

    def __init__(self, reason: str, *, field: str = "") -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


class Call(msgspec.Struct, frozen=True, gc=False):
    """A line that can be stored, its texts lossless. `ts` is in UTC, `ts_text` as it was written.
    `extras` holds the unknown fields as an ASCII JSON object, "" where there are none."""

    line_number: int
    call_id: str
    call_type: str
    model: str
    run_id: str
    failure_kind: str
    system_prompt: str | None
    user_content: str
    response_content: str | None
    parsed_ok: bool
    success: bool | None
    input_tokens: int | None
    output_tokens: int | None
    latency_ms: float | None
    ts: datetime | None
    ts_text: str
    extras: str


def read(line: Line) -> Call:
    """Raise LineRefused. Whatever `quick_lines` takes, this takes too, and to the same call."""
    known, unknown = _sorted_out(_document(line))
    values = {name: _value(name, known) for name in READERS}
    return Call(
        line_number=line.number,
        ts_text=known["ts"] if values["ts"] else "",
        extras=extras_of(unknown),
        **values,
    )


def extras_of(unknown: Mapping[str, Any]) -> str:
    return json.dumps(unknown, sort_keys=True, separators=(",", ":")) if unknown else ""


def _document(line: Line) -> dict[str, Any]:
    if line.is_too_long:
        most = settings.CAPTURE_LINE_MAX_BYTES
        raise LineRefused(f"longer than the {most} bytes that a line may have")
    if line.raw.startswith(BOM):
        raise LineRefused("a byte order mark in the middle of the file")
    try:
        text = line.raw.strip(WHITE_SPACE).decode()
        document = strict_json.parse(text, decoder=strict_json.LENIENT_DECODER)
    except (UnicodeDecodeError, NotJson) as error:
        if not line.has_end:
            raise LineRefused(f"line {line.number} incomplete, ignored") from error
        raise LineRefused(_unreadable(error, line)) from error
    if not isinstance(document, dict):
        raise LineRefused(f"expected an object, not {shown(document)}")
    return document


def _unreadable(error: UnicodeDecodeError | NotJson, line: Line) -> str:
    # What was stripped in front of the text counts in both places.
    stripped = len(line.raw) - len(line.raw.lstrip(WHITE_SPACE))
    if isinstance(error, NotJson):
        place = f" at column {stripped + error.column}" if error.column else ""
        return f"not JSON: {error.message}{place}"
    at = stripped + error.start
    return (
        f"not UTF-8: byte {at} of the line, byte {line.start + at} of the file "
        f"is 0x{error.object[error.start]:02X}"
    )


def _sorted_out(document: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Known fields by their name here, and the rest."""
    known: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for spelling, value in document.items():
        name = NAMES.get(spelling)
        if name is None:
            unknown[spelling] = value
        elif name in known and not same(known[name], value):
            raise LineRefused("stands twice with different values", field=name)
        else:
            known[name] = value
    return known, unknown


def _value(name: str, known: Mapping[str, Any]) -> Any:
    if name in REQUIRED and name not in known:
        raise LineRefused("missing", field=name)
    try:
        return READERS[name](known.get(name))
    except ValueError as error:
        raise LineRefused(str(error), field=name) from error


def shown(value: Any) -> str:
    """As JSON, in at most 80 characters."""
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:79] + "…"


# --- readers: a value as it is stored, or ValueError saying what was expected -------------------


def _identifier(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected text that is not blank, not {shown(value)}")
    text = _short(value)
    if visible(text)[1]:
        raise ValueError("must not hold NUL or lone surrogates")
    return text


def _short(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"expected text or null, not {shown(value)}")
    if len(value) > LONGEST_NAME // 6 and len(visible(value)[0]) > LONGEST_NAME:
        raise ValueError(f"{len(value)} characters; at most {LONGEST_NAME} are allowed")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, not {shown(value)}")
    return value


def _text_or_null(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"expected text or null, not {shown(value)}")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, not {shown(value)}")
    return value


def _truth_or_null(value: Any) -> bool | None:
    return None if value is None else _truth(value)


def _number(value: Any, expected: str) -> int | float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"expected {expected}, not {shown(value)}")
    if not 0 <= value <= LARGEST_INTEGER:
        raise ValueError(f"expected 0 to {LARGEST_INTEGER}, not {shown(value)}")
    return value


def _whole(value: Any) -> int | None:
    """12.0 and 1e3 are whole numbers; 12.5, "12" and true are none."""
    number = _number(value, "a whole number")
    if number is None:
        return None
    if number != int(number):
        raise ValueError(f"expected a whole number, not {shown(value)}")
    return int(number)


def _milliseconds(value: Any) -> float | None:
    number = _number(value, "a number")
    return None if number is None else float(number)


def time_of(value: Any) -> datetime | None:
    """In UTC, cut to microseconds."""
    if value is None:
        return None
    found = TIME.fullmatch(value) if isinstance(value, str) else None
    try:
        return _utc(*found.groups()) if found else _no_time(value)
    except (ValueError, OverflowError):
        return _no_time(value)


def _no_time(value: Any) -> NoReturn:
    raise ValueError(f"expected an ISO-8601 time with its zone, not {shown(value)}")


def _utc(day: str, clock: str, fraction: str, sign: str, hours: str, minutes: str) -> datetime:
    seconds = clock if len(clock) > 5 else f"{clock}:00"
    at = datetime.fromisoformat(f"{day}T{seconds}.{(fraction or '')[:6]:0<6}+00:00")
    if not sign:
        return at
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return at - offset if sign == "+" else at + offset


READERS: dict[str, Callable[[Any], Any]] = {
    "call_id": _identifier,
    "call_type": _identifier,
    "model": _short,
    "run_id": _short,
    "failure_kind": _short,
    "system_prompt": _text_or_null,
    "user_content": _text,
    "response_content": _text_or_null,
    "parsed_ok": _truth,
    "success": _truth_or_null,
    "input_tokens": _whole,
    "output_tokens": _whole,
    "latency_ms": _milliseconds,
    "ts": time_of,
}
REQUIRED = {"call_id", "call_type", "user_content", "response_content", "parsed_ok"}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


NAMES = {spelling: name for name in READERS for spelling in (name, _camel(name))}
