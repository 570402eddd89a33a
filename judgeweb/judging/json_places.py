"""Where in a JSON text a path leads, and how a path is written.

Only for text that `strict_json` has read. Time: linear in the text for every step of the path.
"""

import json
import re
from collections.abc import Iterable
from json.decoder import scanstring  # type: ignore[attr-defined]

from judgeweb.judging.text import shown

Path = Iterable[str | int]

_SPACE = re.compile(r"[ \t\r\n]*+")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_DECODER = json.JSONDecoder()


def written(path: Path) -> str:
    """A path as `$.subtasks[0].size`."""
    steps = ["$"]
    for step in path:
        if isinstance(step, int):
            steps.append(f"[{step}]")
        elif _NAME.fullmatch(step):
            steps.append("." + step)
        else:
            steps.append(f'["{shown(step)[1:-1]}"]')
    return "".join(steps)


def find(text: str, path: Path) -> tuple[int, int]:
    """(start, end) of what the path names, a field with its name. What is not there is shown by
    what should hold it."""
    start = value = _SPACE.match(text).end()  # type: ignore[union-attr]
    for step in path:
        found = _field(text, value, step) if isinstance(step, str) else _item(text, value, step)
        if found is None:
            break
        start, value = found
    return start, _end(text, value)


def _end(text: str, at: int) -> int:
    return _DECODER.raw_decode(text, at)[1]


def _after_space(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _field(text: str, at: int, name: str) -> tuple[int, int] | None:
    """Where the field starts and where its value does. The last of equal names counts."""
    if text[at] != "{":
        return None
    found = None
    at = _after_space(text, at + 1)
    while text[at] == '"':
        start = at
        key, at = scanstring(text, at + 1, True)
        value = _after_space(text, _after_space(text, at) + 1)
        if key == name:
            found = start, value
        at = _after_space(text, _end(text, value))
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return found


def _item(text: str, at: int, number: int) -> tuple[int, int] | None:
    if text[at] != "[":
        return None
    at = _after_space(text, at + 1)
    while text[at] != "]":
        if number == 0:
            return at, at
        number -= 1
        at = _after_space(text, _end(text, at))
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return None
