"""A JSON text laid out for reading: every token as it was written, only white space changed."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

INDENT_MOST = 40
"""Deeper levels stand where this one does: a text of brackets alone must not grow without end."""

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{},:]|[^\s\[\]{},:"]++', re.DOTALL)


@dataclass(frozen=True)
class Layout:
    """`text` is the layout; `starts` and `places` say where each token was and is."""

    text: str
    starts: tuple[int, ...]
    places: tuple[int, ...]
    lengths: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of the original, in the layout. In white space: from the token after it."""
        first = self._place(start)
        before = bisect_left(self.starts, end) - 1
        if before < 0:
            return first, first
        inside = min(end - self.starts[before], self.lengths[before])
        return first, max(first, self.places[before] + inside)

    def _place(self, at: int) -> int:
        token = bisect_right(self.starts, at) - 1
        if token >= 0 and at < self.starts[token] + self.lengths[token]:
            return self.places[token] + at - self.starts[token]
        return self.places[token + 1] if token + 1 < len(self.places) else len(self.text)


def laid_out(text: str) -> Layout:
    """Only for text that is JSON."""
    pieces: list[str] = []
    places: list[int] = []
    length, depth = 0, 0
    tokens = [(match[0], match.start()) for match in _TOKEN.finditer(text)]
    for number, (token, _) in enumerate(tokens):
        before = tokens[number - 1][0] if number else ""
        if token in "]}":
            depth -= 1
        space = _space(before, token, depth)
        pieces += [space, token]
        places.append(length + len(space))
        length += len(space) + len(token)
        if token in "[{":
            depth += 1
    return Layout(
        "".join(pieces),
        tuple(start for _, start in tokens),
        tuple(places),
        tuple(len(token) for token, _ in tokens),
    )


def as_it_is(text: str) -> Layout:
    return Layout(text, (0,), (0,), (len(text),))


def _space(before: str, token: str, depth: int) -> str:
    if not before or token in ",:":
        return ""
    if before == ":":
        return " "
    if before in "[{" and token in "]}":
        return ""
    return "\n" + "  " * min(depth, INDENT_MOST)
