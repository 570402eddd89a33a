"""Text at the edges of the core: what cannot travel is shown, never dropped.

A lone surrogate breaks the first UTF-8 encode and PostgreSQL refuses NUL, so prompts and pages
get both as visible escapes. Stored bytes keep the original.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
_WHITE_SPACE = re.compile(r"\s+")


def visible(text: str) -> tuple[str, bool]:
    """Return `text` with NUL and lone surrogates as visible escapes, and whether any was there."""
    if text.isascii() and "\x00" not in text:
        return text, False
    shown, count = _UNSENDABLE.subn(lambda match: f"\\u{ord(match[0]):04x}", text)
    return shown, count > 0


def is_blank(text: str) -> bool:
    """True for text in which nothing can be read: white space and zero-width characters."""
    if text[:1].isalnum():
        return False
    return all(char.isspace() or unicodedata.category(char) in {"Cf", "Cc"} for char in text)


def one_line(text: str) -> str:
    """Fold white space, so that a name in a heading cannot start a line of its own."""
    return _WHITE_SPACE.sub(" ", text).strip()


def shown(value: Any, limit: int = 80) -> str:
    """A value as a fault message quotes it: as JSON, on one line, cut to `limit` characters."""
    text = one_line(visible(_as_json(value))[0])
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _as_json(value: Any) -> str:
    """What stood in the document: true and null, not True and None; decimals digit by digit."""
    match value:
        case Decimal():
            return str(value)
        case Mapping():
            members = (f"{_as_json(str(key))}: {_as_json(one)}" for key, one in value.items())
            return f"{{{', '.join(members)}}}"
        case list() | tuple():
            return f"[{', '.join(map(_as_json, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)
