"""Which paths, symbols and numbers of a response stand nowhere in what its author was given?

Hints for judge and page; they decide nothing. A word counts as given where it stands in a source
as a whole word, a path or flag where it does so as it is written, a number where its digits do.
JSON escapes in the response part words; its field names are its contract's and are left out.

Time: linear in response and sources; what is examined and what is reported is bounded.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

MOST_HINTS = 20  # of each kind
# Paths and flags are searched for in the sources, once each.
MOST_SEARCHES = 400
LONGEST_TOKEN = 300
LONGEST_KEPT = 64_000  # longer sources are user content, which no two captures share

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_FIELD_NAME = re.compile(r'"[^"\n]{0,200}"(?=[ \t\r\n]{0,20}:)')
_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d++(?:[.,]\d++)*+")
_NUMBER = re.compile(r"(?<![\w.,])\d++(?:[.,]\d++)*+(?!\w)")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})++(?:\.\d++)?")
_TOKEN = re.compile(
    r"(?P<path>[\w@~.+-]*+(?:/[\w@~.+-]++)++)"
    r"|(?P<flag>(?<![\w-])--[A-Za-z][\w-]*+)"
    r"|(?P<run>[\w@~+-][\w@~.+-]*+)"
)
_IDENTIFIER = re.compile(r"(?<!\w)[^\W\d]\w*+(\()?")
_EXTENSION = re.compile(
    r"\.(?:[ch]|cc|cfg|conf|cpp|cs|css|csv|env|ex|go|graphql|h|hpp|html?|ini|ipynb|java|jsx?|json|kt"
    r"|lock|lua|md|mjs|php|pl|proto|py|rb|rs|rst|scala|scss|sh|sql|svelte|swift|tf|toml|tsx?|txt"
    r"|vue|xml|ya?ml|zig)",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_SYMBOL = re.compile(r"[^\W_]_+[^\W_]|[a-z0-9][A-Z]")
_TRIVIAL = {"0", "1"}


class HintKind(StrEnum):
    PATH = "path"
    SYMBOL = "symbol"
    NUMBER = "number"


@dataclass(frozen=True)
class Hint:
    """A token of the response that no source has. `start` and `end` index its first place."""

    kind: HintKind
    token: str
    start: int
    end: int


def ungrounded(response: str, sources: Iterable[str]) -> tuple[Hint, ...]:
    """The hints, in order of their first places in the response."""
    given = _Given(tuple(sources))
    found: dict[HintKind, dict[str, Hint]] = {kind: {} for kind in HintKind}
    known = set[str]()
    for hint in _tokens(response):
        of_kind = found[hint.kind]
        if hint.token in known or hint.token in of_kind or len(of_kind) >= MOST_HINTS:
            continue
        if given.has(hint):
            known.add(hint.token)
        else:
            of_kind[hint.token] = hint
    hints = [hint for of_kind in found.values() for hint in of_kind.values()]
    return tuple(sorted(hints, key=lambda hint: hint.start))


class _Given:
    """The sources, ready to be asked for many tokens."""

    def __init__(self, sources: tuple[str, ...]) -> None:
        self._texts = sources
        self._indexes = [
            _index(text) if len(text) <= LONGEST_KEPT else _index.__wrapped__(text)
            for text in sources
        ]
        self._searches = 0

    def has(self, hint: Hint) -> bool:
        if hint.kind is HintKind.NUMBER:
            return any(_plain(hint.token) in index.numbers for index in self._indexes)
        parts = _WORD.findall(hint.token)
        if not all(any(part in index.words for index in self._indexes) for part in parts):
            return False
        if hint.kind is HintKind.SYMBOL and not hint.token.startswith("--"):
            return True
        self._searches += 1
        if self._searches > MOST_SEARCHES:
            return True
        return any(hint.token in text for text in self._texts)


@dataclass(frozen=True)
class _Index:
    words: frozenset[str]
    numbers: frozenset[str]


# A run repeats its system prompts on every line.
@lru_cache(maxsize=32)
def _index(text: str) -> _Index:
    # With and without what looks like escapes: a source may be prose or quote JSON.
    forms = {text, _ESCAPE.sub(" ", text)} if "\\" in text else {text}
    return _Index(
        frozenset(word for form in forms for word in _WORD.findall(form)),
        frozenset(_plain(number) for form in forms for number in _DIGITS.findall(form)),
    )


def _plain(number: str) -> str:
    """The number without separators of thousands: 1,200 is 1200."""
    if "," in number and len(number) <= LONGEST_TOKEN and _THOUSANDS.fullmatch(number):
        return number.replace(",", "")
    return number


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _tokens(response: str) -> Iterator[Hint]:
    """Everything in the response that could be a path, symbol or number, with its place."""
    plain = response
    if "\\" in plain:
        plain = _ESCAPE.sub(_blank, plain)
    plain = _FIELD_NAME.sub(_blank, plain)
    for match in _TOKEN.finditer(plain):
        token = match[0].rstrip(".,+~-")
        if not token or len(token) > LONGEST_TOKEN:
            continue
        start = match.start()
        if match["flag"]:
            yield Hint(HintKind.SYMBOL, token, start, start + len(token))
        elif _is_path(token):
            path = token.removeprefix("./")
            start += len(token) - len(path)
            yield Hint(HintKind.PATH, path, start, start + len(path))
        else:
            yield from _words(plain, start, start + len(token))


def _is_path(token: str) -> bool:
    """A file name with a known ending, or segments that are no `and/or` and no fraction."""
    if not _LETTER.search(token):
        return False
    name = token.rpartition("/")[2]
    dot = name.rfind(".")
    if dot > 0 and _EXTENSION.fullmatch(name, dot):
        return True
    return token.count("/") > 1 or token.startswith(("/", "./", "~/", "../"))


def _words(plain: str, start: int, end: int) -> Iterator[Hint]:
    for match in _NUMBER.finditer(plain, start, end):
        if match[0] not in _TRIVIAL:
            yield Hint(HintKind.NUMBER, match[0], match.start(), match.end())
    # A symbol that is called may be a plain word, so that the bracket is looked at.
    for match in _IDENTIFIER.finditer(plain, start, min(end + 1, len(plain))):
        name = match[0].rstrip("(")
        if len(name) > 2 and (match[1] or _SYMBOL.search(name)):
            yield Hint(HintKind.SYMBOL, name, match.start(), match.start() + len(name))
