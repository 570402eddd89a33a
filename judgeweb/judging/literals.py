"""Reads one JSON object out of a text: exact numbers, small repairs, time linear in the text.

Grammar: JSON with control characters allowed in strings. Three repairs, none of which touches
what a string says: a trailing comma, Python's words (True, False, None), and strings in single or
typographic double quotes. A string that such a quote would end too early makes the object
unreadable instead of shorter.
Refused: NaN, Infinity, numbers beyond the range of a double, keys that occur twice with different
values, nesting deeper than 100.

Numbers come as int or Decimal, never as float.
"""

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from judgeweb.judging.strict_json import same

DEEPEST = 100
FEW_BRACKETS = 200  # so many cannot nest too deep for what compares values later
LONGEST_NUMBER = 400  # a double holds 309 digits before the point

_SPACE = re.compile(r"[ \t\r\n]*+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?(?![\w.+-])")
_WORD = re.compile(r"[A-Za-z]++")
_WORDS = {"true": True, "false": False, "null": None}
_PYTHON_WORDS = {"True": True, "False": False, "None": None}
_CURLY = "“”„‟"
_STRINGS = {
    '"': re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL),
    "'": re.compile(r"'([^'\\]*+(?:\\.[^'\\]*+)*+)'", re.DOTALL),
} | {
    quote: re.compile(rf"[{_CURLY}]([^{_CURLY}\\]*+(?:\\.[^{_CURLY}\\]*+)*+)[{_CURLY}]", re.DOTALL)
    for quote in _CURLY
}
_INNER = re.compile(r'\\(.)|"', re.DOTALL)


@dataclass(frozen=True)
class Literal:
    """One object that was read from text[start:end]."""

    value: dict[str, Any]
    start: int
    end: int
    repaired: bool


class Broken(Exception):
    """There is no readable object at this place; the message says why and where."""


@dataclass
class _Frame:
    """An object or array that is still open."""

    start: int
    container: dict[str, Any] | list[Any]
    key: str = ""

    @property
    def closer(self) -> str:
        return "}" if isinstance(self.container, dict) else "]"

    def add(self, value: Any) -> None:
        if isinstance(self.container, list):
            self.container.append(value)
        elif self.key in self.container and not same(self.container[self.key], value):
            raise Broken(f"the key {self.key!r} occurs twice with different values")
        else:
            self.container[self.key] = value


def plain_object(text: str) -> Literal | None:
    """The whole text as one flawless object, read by the standard library: ten times as fast.

    None where there is anything to repair, to refuse or to explain: `LiteralReader` does that.
    """
    if text.count("{") + text.count("[") > FEW_BRACKETS:
        return None
    try:
        value = _DECODER.decode(text)
    except (ValueError, Broken, RecursionError):
        return None
    return Literal(value, 0, len(text), False) if isinstance(value, dict) else None


@dataclass
class LiteralReader:
    """Reads objects at given places of one text.

    Places where an object failed are remembered: whatever stands inside a broken object is not
    read again from each of its braces, which keeps hostile input linear.
    """

    text: str
    failed: set[int] = field(default_factory=set)

    def read(self, start: int) -> Literal:
        """Read the object that opens at `start`. Raise Broken where there is none."""
        return _Pass(self.text, start, self.failed).run()


class _Pass:
    """One reading of one object, with a stack of its own instead of recursion."""

    def __init__(self, text: str, start: int, failed: set[int]) -> None:
        self.text = text
        self.at = start
        self.failed = failed
        self.frames: list[_Frame] = []
        self.repaired = False

    def run(self) -> Literal:
        start = self.at
        value: dict[str, Any] = {}
        try:
            self._open(value)
            after = "open"
            while self.frames:
                after = self._step(after)
        except Broken as broken:
            self.failed.update(frame.start for frame in self.frames)
            self.failed.add(start)
            raise Broken(f"{broken} (character {self.at + 1})") from None
        return Literal(value, start, self.at, self.repaired)

    def _step(self, after: str) -> str:
        """Take one element, comma or closing bracket. Return what was taken."""
        char, frame = self._next(), self.frames[-1]
        if char == frame.closer:
            self.repaired |= after == "comma"
            return self._close()
        if after == "value":
            if char != ",":
                raise Broken(f"expected a comma or {frame.closer}")
            self.at += 1
            return "comma"
        if isinstance(frame.container, dict):
            frame.key = self._string()
            if self._next() != ":":
                raise Broken("expected a colon")
            self.at += 1
            char = self._next()
        if char in ("{", "["):
            self._open({} if char == "{" else [])
            return "open"
        frame.add(self._scalar(char))
        return "value"

    def _next(self) -> str:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at
        return self.text[self.at : self.at + 1]

    def _open(self, container: dict[str, Any] | list[Any]) -> None:
        if len(self.frames) >= DEEPEST:
            raise Broken(f"nested deeper than {DEEPEST}")
        if self.at in self.failed:
            raise Broken("an object inside it is broken")
        self.frames.append(_Frame(self.at, container))
        self.at += 1

    def _close(self) -> str:
        self.at += 1
        if len(self.frames) > 1:
            self.frames[-2].add(self.frames[-1].container)
        self.frames.pop()
        return "value"

    def _scalar(self, char: str) -> Any:
        if char in _STRINGS:
            return self._string()
        if word := _WORD.match(self.text, self.at):
            return self._word(word[0])
        number = _NUMBER.match(self.text, self.at)
        if not number:
            raise Broken("expected a value")
        self.at = number.end()
        return exact_number(number[0])

    def _word(self, word: str) -> bool | None:
        if word not in _WORDS and word not in _PYTHON_WORDS:
            raise Broken(f"{word[:20]} is no JSON value")
        self.at += len(word)
        self.repaired |= word in _PYTHON_WORDS
        return {**_WORDS, **_PYTHON_WORDS}[word]

    def _string(self) -> str:
        quote = self.text[self.at : self.at + 1]
        match = _STRINGS[quote].match(self.text, self.at) if quote in _STRINGS else None
        if not match:
            raise Broken("expected a string")
        self.repaired |= quote != '"'
        raw = match[1] if quote == '"' else _INNER.sub(_as_json_escape, match[1])
        try:
            value: str = json.loads(f'"{raw}"', strict=False)
        except ValueError:
            raise Broken("a string holds an unknown escape") from None
        self.at = match.end()
        return value


def _as_json_escape(match: re.Match[str]) -> str:
    r"""Spell the inside of a repaired string as JSON does: \' is ', a bare " is \"."""
    if match[0] == '"':
        return '\\"'
    return "'" if match[1] == "'" else match[0]


def exact_number(text: str) -> int | Decimal:
    """Read a JSON number exactly. Raise Broken outside the range of a double.

    The bound comes first: turning 1e999999999 into a fraction would fill the memory.
    """
    message = f"the number {text[:20]} is out of range"
    if len(text) > LONGEST_NUMBER or abs(float(text)) == float("inf"):
        raise Broken(message)
    try:
        value = Decimal(text)
    except ArithmeticError:
        raise Broken(message) from None
    if abs(int(value.as_tuple().exponent)) > 2 * LONGEST_NUMBER:
        raise Broken(message)
    return value if set(text) & set(".eE") else int(text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise Broken("a key occurs twice")
    return value


def _no_constant(name: str) -> Any:
    raise Broken(f"{name} is no JSON value")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once,
    parse_float=exact_number,
    parse_int=exact_number,
    parse_constant=_no_constant,
    strict=False,
)
