"""JSON as every reader agrees on it, for captured responses and for the schemas they must fit.

Python's reader takes NaN, 1e999 and the last of two equal keys; how deep it reads depends on who
calls it. Here a text is JSON or it is not, wherever it is asked. Keys that stand twice with equal
values are let through. Lone surrogates and NUL inside strings are JSON and kept.
"""

import json
import math
from typing import Any, NoReturn

DEEPEST = 200
LONGEST_NUMBER = 400  # a double holds 309 digits before the point


class NotJson(ValueError):
    """Why a text is not JSON, in words that name the place where it shows."""


def parse(text: str) -> Any:
    """The one value in `text`. Raise NotJson."""
    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        raise NotJson(f"nested deeper than {DEEPEST} levels")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg} at line {error.lineno}, column {error.colno}") from error


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def _depth(text: str) -> int:
    """How deep brackets nest outside strings, up to where the text stops being JSON."""
    depth = deepest = 0
    in_string = escaped = False
    for char in text:
        if in_string:
            in_string = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            in_string = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        for key, one in pairs:
            if not same(one, value[key]):
                raise NotJson(f"the key {key[:60]!r} stands twice with different values")
    return value


def _no_constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise NotJson(f"the number {text[:40]} is out of range")
    return number


def _whole(text: str) -> int:
    # Python refuses numerals over 4300 digits, with a message that is about Python.
    if len(text) > LONGEST_NUMBER or math.isinf(float(text)):
        raise NotJson(f"the number {text[:40]}… is out of range")
    return int(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole
)
