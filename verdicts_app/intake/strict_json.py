"""Bytes that came in, read as the JSON that the core takes: what is stored is what was sent, or
nothing is. What counts as JSON: `judgeweb.judging.strict_json`."""

import json
from decimal import Decimal
from typing import Any

from judgeweb.judging import strict_json


def _decimal(text: str) -> Decimal:
    strict_json.finite(text)
    return Decimal(text)


DECODER = strict_json.strict_decoder(keys_once=True)
LENIENT_DECODER = strict_json.strict_decoder()
"""Lets a key stand twice where both values are equal: nothing is lost."""
EXACT_DECODER = strict_json.strict_decoder(keys_once=True, read_float=_decimal)
"""Numbers come as int or Decimal, digit by digit as they were written."""


class NotJson(Exception):
    """`line` and `column` count from 1; 0 where the fault has no one place."""

    def __init__(self, message: str, *, line: int = 0, column: int = 0) -> None:
        place = f"line {line}, column {column}: " if line else ""
        super().__init__(place + message)
        self.message = message
        self.line = line
        self.column = column


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
        return strict_json.parse(text, decoder=decoder)
    except strict_json.NotJson as error:
        raise NotJson(error.message, line=error.line, column=error.column) from error
