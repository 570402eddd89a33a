"""Lines of code as tokens with weights.

Dropped: white space, comments, lines of docstrings, the style of quotes, trailing commas,
continuation marks. A string literal is one token: a quote and its content. The lexer knows no
grammar, so that it reads lines of any language and pieces that do not parse.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from judgeweb.judging.patches.docstrings import Strings, strings_in

_KEYWORDS = """
and as assert async await break case catch class const continue def del do elif else enum except
export extends finally for from func function global goto if import in interface is lambda let match
new nonlocal not or pass private protected public raise return static struct switch throw throws try
typedef var void while with yield
"""
KEYWORDS = frozenset(_KEYWORDS.split())
CONSTANTS = frozenset(
    ("self", "cls", "this", "None", "True", "False", "null", "true", "false", "nil", "undefined")
)
CLOSING = frozenset(")]}")
_OPERATORS = frozenset("+-*/%<>=!&|^~@?") | {
    "==", "!=", "<=", ">=", "->", "=>", ":=", "**", "//", "<<", ">>", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "&&", "||", "++", "--", "::", "===", "!==", "**=", "//=", "<<=", ">>=",
}  # fmt: skip
_STRING = r"[rbfuRBFU]{0,2}(?P<quote>\"\"\"|'''|\"|')"
_TOKEN = re.compile(
    rf"(?P<string>{_STRING})"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<number>\d(?:[\w.]|(?<=[eE])[+-])*)"
    r"|(?P<sign>===|!==|\*\*=|//=|<<=|>>=|==|!=|<=|>=|->|=>|:=|\*\*|//|<<|>>"
    r"|[-+*/%&|^]=|&&|\|\||\+\+|--|::|[^\w\s])"
)


class Language(StrEnum):
    """How comments and docstrings look."""

    PYTHON = "python"
    HASH = "hash"
    SLASHES = "slashes"
    PLAIN = "plain"


_ENDINGS = {
    Language.PYTHON: "py pyi pyx pxd",
    Language.HASH: "cfg conf ini mk pl r rb sh toml yaml yml",
    Language.SLASHES: "c cc cpp cs css cu cxx dart go h hh hpp java js jsx kt less php rs scala "
    "scss swift ts tsx",
}
_LANGUAGE = {
    ending: language for language, endings in _ENDINGS.items() for ending in endings.split()
}
_COMMENT = {Language.PYTHON: "#", Language.HASH: "#", Language.SLASHES: "//"}


class CodeLine(NamedTuple):
    """The tokens of one line and the width of its indentation (tabs to eight)."""

    tokens: tuple[str, ...]
    indent: int


NO_CODE = CodeLine((), 0)
NO_STRINGS = Strings(frozenset(), "")


def language_of(path: str) -> Language:
    name = path.rsplit("/", 1)[-1].lower()
    return _LANGUAGE.get(name.rsplit(".", 1)[-1] if "." in name else "", Language.PLAIN)


@lru_cache(maxsize=1 << 16)
def weight(token: str) -> float:
    """What a token counts: 1 for identifiers and literals, less for what any code has."""
    first = token[0]
    if first == "'" or first.isdigit():
        return 1.0
    if first.isalpha() or first == "_":
        return 0.5 if token in KEYWORDS else 0.4 if token in CONSTANTS else 1.0
    return 0.3 if token in _OPERATORS else 0.1


def is_name(token: str) -> bool:
    """True for identifiers and literals: what a change can introduce."""
    return weight(token) == 1.0 and not (len(token) == 1 and token == "'")


def is_identifier(token: str) -> bool:
    return token[0] != "'" and not token[0].isdigit() and weight(token) == 1.0


def exact_weight(token: str) -> Fraction:
    return Fraction(str(weight(token)))


def code_lines(lines: Sequence[str], language: Language) -> list[CodeLine]:
    """One side of a hunk, or a whole file, line by line. Strings and comments over several lines
    are followed from line to line."""
    strings = strings_in(lines) if language is Language.PYTHON else NO_STRINGS
    lexer = _Lexer(language)
    lexer.inside = strings.inside
    return [
        lexer.skipped() if number in strings.docstrings else lexer.line(text)
        for number, text in enumerate(lines)
    ]


def joined(lines: Sequence[CodeLine]) -> tuple[str, ...]:
    """The tokens of lines in a row, without the commas before a closing bracket."""
    tokens = [token for line in lines for token in line.tokens]
    return tuple(
        token
        for at, token in enumerate(tokens)
        if not (token == "," and at + 1 < len(tokens) and tokens[at + 1] in CLOSING)
    )


class _Lexer:
    """`inside` is the delimiter of the string or comment that a line begins in, "" for none.
    `unclosed` are the quotes that nothing closes on this line: they are looked for once."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.comment = _COMMENT.get(language, "")
        self.inside = ""
        self.unclosed: set[str] = set()

    def skipped(self) -> CodeLine:
        self.inside = ""
        return NO_CODE

    def line(self, text: str) -> CodeLine:
        tokens: list[str] = []
        self.unclosed.clear()
        at = self._resume(text, tokens) if self.inside else 0
        while at < len(text):
            if text[at].isspace() or text[at] == "\\":
                at += 1
                continue
            if self.comment and text.startswith(self.comment, at):
                break
            if self.language is Language.SLASHES and text.startswith("/*", at):
                self.inside = "*/"
                at = self._resume(text, tokens, at + 2)
                continue
            found = _TOKEN.match(text, at)
            if found is None:
                at += 1
            elif found["string"]:
                at = self._string(text, found, tokens)
            else:
                tokens.append(found[0])
                at = found.end()
        expanded = text.expandtabs(8)
        return CodeLine(tuple(tokens), len(expanded) - len(expanded.lstrip()))

    def _string(self, text: str, found: re.Match[str], tokens: list[str]) -> int:
        quote = found["quote"]
        begins = found.end()
        if len(quote) == 3 and self.language is not Language.PYTHON:
            quote = quote[0]
            begins -= 2
        ends = -1 if quote in self.unclosed else _end_of_string(text, begins, quote)
        if ends >= 0:
            tokens.append("'" + text[begins:ends])
            return ends + len(quote)
        if len(quote) == 3:
            tokens.append("'" + text[begins:].strip())
            self.inside = quote
            return len(text)
        # An apostrophe, or a string that goes on elsewhere: no string.
        self.unclosed.add(quote)
        prefix = found["string"][: found.start("quote") - found.start("string")]
        if prefix:
            tokens.append(prefix)
        return begins

    def _resume(self, text: str, tokens: list[str], at: int = 0) -> int:
        """Go on in what an earlier line, or the line before `at`, has opened."""
        is_comment = self.inside == "*/"
        ends = text.find(self.inside, at)
        content = text[at:] if ends < 0 else text[at:ends]
        if not is_comment and content.strip():
            tokens.append("'" + content.strip())
        if ends < 0:
            return len(text)
        ends += len(self.inside)
        self.inside = ""
        return ends


def _end_of_string(text: str, begins: int, quote: str) -> int:
    """Where the closing quote stands; -1 where it does not. Backslashes escape."""
    ends = text.find(quote, begins)
    while ends >= 0:
        slashes = 0
        while ends - slashes - 1 >= begins and text[ends - slashes - 1] == "\\":
            slashes += 1
        if slashes % 2 == 0:
            return ends
        ends = text.find(quote, ends + 1)
    return -1
