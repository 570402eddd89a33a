"""JSON read strictly: what is stored is what was sent, or nothing is.

Python's parser takes the last of two equal keys, NaN, Infinity and 1e999; none of them is JSON that
two readers agree on. Lone surrogates and NUL inside strings are legal here and kept.
"""

import json
import math
from decimal import Decimal
from typing import Any, NoReturn

from judgeweb.judging.strict_json import same

LARGEST_DEPTH = 200
"""Deeper values are refused: writing them out again could exhaust the stack."""


class NotJson(Exception):
    """`line` and `column` count from 1; 0 where the fault has no one place."""

    def __init__(self, message: str, *, line: int = 0, column: int = 0) -> None:
        place = f"line {line}, column {column}: " if line else ""
        super().__init__(place + message)
        self.message = message
        self.line = line
        self.column = column


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        doubled = next(key for key in keys if keys.count(key) > 1)
        raise NotJson(f"the key {doubled!r} stands twice in one object")
    return found


def _object_of_equals(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        for key, value in pairs:
            if not same(value, found[key]):
                raise NotJson(f"the key {key!r} stands twice with different values")
    return found


def _no_constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise NotJson(f"the number {text[:40]} is out of range")
    return number


def _decimal(text: str) -> Decimal:
    _finite(text)
    return Decimal(text)


def _whole(text: str) -> int:
    # Python refuses numerals over 4300 digits with a ValueError that names no place.
    if len(text) > 400:
        raise NotJson(f"the number {text[:40]}… is out of range")
    return int(text)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(LARGEST_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if not below:
            return False
        level = below
    return True


NUMBERS: dict[str, Any] = {
    "parse_constant": _no_constant,
    "parse_float": _finite,
    "parse_int": _whole,
}
DECODER = json.JSONDecoder(object_pairs_hook=_object, **NUMBERS)
LENIENT_DECODER = json.JSONDecoder(object_pairs_hook=_object_of_equals, **NUMBERS)
"""Lets a key stand twice where both values are equal: nothing is lost."""
EXACT_DECODER = json.JSONDecoder(object_pairs_hook=_object, **{**NUMBERS, "parse_float": _decimal})
"""Numbers come as int or Decimal, digit by digit as they were written."""


def decode(raw: bytes) -> str:
    """UTF-8 with or without a byte order mark. Raise NotJson naming the first bad byte."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The mark is cut off before `error.start` is counted.
        offset = error.start + (3 if raw.startswith(b"\xef\xbb\xbf") else 0)
        line = raw.count(b"\n", 0, offset) + 1
        column = offset - (raw.rfind(b"\n", 0, offset) + 1) + 1
        raise NotJson(
            f"byte {offset} is not UTF-8 (0x{raw[offset]:02X})", line=line, column=column
        ) from error


def parse(raw: bytes | str, *, decoder: json.JSONDecoder = DECODER) -> Any:
    """The one JSON value in `raw`. Raise NotJson."""
    text = decode(raw) if isinstance(raw, bytes) else raw
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(error.msg, line=error.lineno, column=error.colno) from error
    except RecursionError as error:
        raise NotJson("nested too deeply") from error
    if text.count("{") + text.count("[") > LARGEST_DEPTH and _is_deep(value):
        raise NotJson(f"nested deeper than {LARGEST_DEPTH} levels")
    return value
