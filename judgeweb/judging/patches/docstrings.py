"""Which lines of a piece of Python are docstring and nothing else, and what it begins in.

A hunk is a piece of a file: it may begin inside a docstring. So the first triple quote of a piece
is judged by what stands around it. A string that something is done with (assigned, passed,
returned) is no docstring.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

_TRIPLE = re.compile(r"\"\"\"|'''")
_OPENS = re.compile(r"\s*[rRuU]?(?P<quote>\"\"\"|''')")
_USED_BEFORE = re.compile(r"(?:[(\[{,=+%\\]|\b(?:return|yield|in|and|or|not))\s*$")
_USED_AFTER = re.compile(r"\s*(?:[)\]},]|%\s|\.[a-z_]+\()")
_ONE_LINE = re.compile(r"\s*[rRuU]?(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')\s*")


class Strings(NamedTuple):
    """Indexes of the lines that hold docstring alone. `inside` is the triple quote of a string
    (no docstring) that the piece begins in, "" where it begins in none."""

    docstrings: frozenset[int]
    inside: str


def strings_in(lines: Sequence[str]) -> Strings:
    """Read a piece of a file."""
    at, inside = _beginning(lines)
    found = set() if inside else set(range(at))
    while at < len(lines):
        text = lines[at]
        opening = _OPENS.match(text)
        if opening is None:
            if _ONE_LINE.fullmatch(text) and _before(lines, at).endswith(":"):
                found.add(at)
            at = _past_string(lines, at)
            continue
        ends, rest = _end(lines, at, opening.end(), opening["quote"])
        if not _USED_BEFORE.search(_before(lines, at)) and _is_alone(rest):
            found.update(range(at, ends + 1))
        at = ends + 1
    return Strings(frozenset(found), inside)


def _before(lines: Sequence[str], at: int) -> str:
    """The nearest line above that is neither empty nor a comment, without its end's blanks."""
    for above in range(at - 1, -1, -1):
        text = lines[above].strip()
        if text and not text.startswith("#"):
            return text.split("  #")[0].rstrip()
    return ""


def _is_alone(rest: str) -> bool:
    return not rest.strip() or rest.lstrip().startswith("#")


def _end(lines: Sequence[str], at: int, column: int, quote: str) -> tuple[int, str]:
    """The line where the string closes, and what follows there. The last line where it does not."""
    for number in range(at, len(lines)):
        ends = lines[number].find(quote, column if number == at else 0)
        if ends >= 0:
            return number, lines[number][ends + 3 :]
    return len(lines) - 1, ""


def _past_string(lines: Sequence[str], at: int) -> int:
    """The next line, behind a string over several lines that opens on this one after code."""
    quotes = _TRIPLE.findall(lines[at].split("#")[0] if "#" in lines[at] else lines[at])
    if len(quotes) % 2 == 0:
        return at + 1
    return _end(lines, at, lines[at].rfind(quotes[-1]) + 3, quotes[-1])[0] + 1


def _beginning(lines: Sequence[str]) -> tuple[int, str]:
    """How many lines at the start are the rest of a string that opened before the piece, and its
    quote where it is no docstring."""
    for at, text in enumerate(lines):
        quotes = _TRIPLE.findall(text)
        if not quotes:
            continue
        if len(quotes) % 2 == 0 or not _closes(lines, at, quotes[0]):
            return 0, ""
        is_used = _USED_AFTER.match(text.partition(quotes[0])[2])
        return at + 1, quotes[0] if is_used else ""
    return 0, ""


def _closes(lines: Sequence[str], at: int, quote: str) -> bool:
    """Whether the first triple quote of a piece closes a string from before it."""
    text = lines[at]
    before, _, after = text.partition(quote)
    words = before.strip()
    if _USED_BEFORE.search(before):
        return False
    if _USED_AFTER.match(after):
        return True
    if after.strip():
        return False
    if words and words.lower() not in ("r", "u", "b", "f", "rb", "br"):
        return not any(char in words for char in "=({[")
    above = [line for line in lines[:at] if line.strip()]
    if above:
        return not _before(lines, at).endswith(":") and not _USED_BEFORE.search(_before(lines, at))
    later = sum(len(_TRIPLE.findall(line)) for line in lines[at + 1 :])
    return later % 2 == 0
