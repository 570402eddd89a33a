"""JSON as every reader agrees on it, for captured responses and for the schemas they must fit.

Python's reader takes NaN, 1e999 and the last of two equal keys; how deep it reads depends on who
calls it. Here a text is JSON or it is not, wherever it is asked. Keys that stand twice with equal
values are let through. Lone surrogates and NUL inside strings are JSON and kept.
"""

import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

DEEPEST = 200
LONGEST_NUMBER = 400  # a double holds 309 digits before the point


class NotJson(ValueError):
    """Why a text is not JSON. `line` and `column` count from 1; 0 where the fault has no one
    place."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message + (f" at line {line}, column {column}" if line else ""))
        self.message = message
        self.line = line
        self.column = column


def parse(text: str, *, decoder: json.JSONDecoder | None = None) -> Any:
    """The one value in `text`, by a decoder of `strict_decoder`. Raise NotJson."""
    if text.count("[") + text.count("{") > DEEPEST and _is_deep(text):
        raise NotJson(f"nested deeper than {DEEPEST} levels")
    try:
        return (decoder or _DECODER).decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(error.msg, error.lineno, error.colno) from error


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


# A string, to its end or to that of the text, or a bracket outside of strings.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def _is_deep(text: str) -> bool:
    """Whether brackets nest deeper than allowed, up to where the text stops being JSON."""
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        bracket = text[token.start()]
        if bracket in "[{":
            depth += 1
            if depth > DEEPEST:
                return True
        elif bracket in "]}":
            depth -= 1
    return False


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        for key, one in pairs:
            if not same(one, value[key]):
                raise NotJson(f"the key {key[:60]!r} stands twice with different values")
    return value


def _object_of_single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        doubled = next(key for key in keys if keys.count(key) > 1)
        raise NotJson(f"the key {doubled[:60]!r} stands twice in one object")
    return value


def _no_constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is not a JSON number")


def finite(text: str) -> float:
    """A numeral with a point or exponent. Raise NotJson beyond what a double holds."""
    number = float(text)
    if math.isinf(number):
        raise NotJson(f"the number {text[:40]} is out of range")
    return number


def _whole(text: str) -> int:
    # Python refuses numerals over 4300 digits, with a message that is about Python.
    if len(text) > LONGEST_NUMBER or math.isinf(float(text)):
        raise NotJson(f"the number {text[:40]}… is out of range")
    return int(text)


def strict_decoder(
    *, keys_once: bool = False, read_float: Callable[[str], Any] = finite
) -> json.JSONDecoder:
    """`keys_once`: no key stands twice in one object, whatever its values. `read_float` makes a
    value of a numeral with a point or exponent."""
    return json.JSONDecoder(
        object_pairs_hook=_object_of_single_keys if keys_once else _object,
        parse_constant=_no_constant,
        parse_float=read_float,
        parse_int=_whole,
    )


_DECODER = strict_decoder()
