"""Looks a quote up in the response it is said to come from (R11).

Folded on both sides: runs of white space, typographic quotes and dashes. "..." and "…" in a quote
leave something out; what stands between must follow in order. Case and spelling count.

Time: one pass over the response, then one search per piece of a quote.
"""

import re
from bisect import bisect_right

from judgeweb.judging.types import EvidenceState

# Spelt as escapes: most of these look like one another.
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u00b4`\u02bc"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_ALIKE = str.maketrans(
    dict.fromkeys(_SINGLE_QUOTES, "'")
    | dict.fromkeys(_DOUBLE_QUOTES, '"')
    | dict.fromkeys(_DASHES, "-")
)
LONGEST_TIGHTENED = 200
# Runs that folding changes: a lone space stays what it is. That it begins with a set of characters
# lets the search skip all others.
_FOLDED = re.compile(r"[\s.](?:(?<=\s)\s++|(?<=[^\S ])|(?<=\.)\.{2,}+)")
_ELISION = re.compile(r"\s*[\[(]?…[\])]?\s*")


def fold(text: str) -> str:
    """The form in which two quotations are compared."""
    if text.isascii() and text.isprintable() and not ("  " in text or ".." in text or "`" in text):
        return text.strip()
    return _FOLDED.sub(_folded_run, text.translate(_ALIKE)).strip()


def _folded_run(run: re.Match[str]) -> str:
    return "…" if run[0][0] == "." else " "


class QuoteFinder:
    """One response, ready for many quotes."""

    def __init__(self, response: str) -> None:
        plain = response.translate(_ALIKE)
        pieces: list[str] = []
        # After each folded run: where the folded and where the original text goes on.
        self._folded_at, self._original_at = [0], [0]
        done = length = 0
        for run in _FOLDED.finditer(plain):
            pieces += [plain[done : run.start()], _folded_run(run)]
            length += run.start() - done + 1
            done = run.end()
            self._folded_at.append(length)
            self._original_at.append(done)
        self.folded = "".join([*pieces, plain[done:]])

    def find(self, quote: str) -> tuple[int, int] | None:
        """Where the quote stands in the response as (start, end). None where it does not."""
        wanted = fold(quote)
        for form in (wanted, wanted.strip("\"'").strip()):
            at = self.folded.find(form) if form else -1
            if at >= 0:
                return self._original(at), self._original(at + len(form))
            if span := self._find_pieces(_ELISION.split(form)):
                return self._original(span[0]), self._original(span[1])
        return None

    def check(self, quote: str) -> tuple[EvidenceState, tuple[int, int] | None]:
        """The state of a piece of evidence and where it stands."""
        if not quote.strip():
            return EvidenceState.NONE, None
        span = self.find(quote)
        return (EvidenceState.VERIFIED if span else EvidenceState.NOT_FOUND), span

    def _find_pieces(self, pieces: list[str]) -> tuple[int, int] | None:
        """Find the pieces one after the other; the span starts as late as it can."""
        wanted = [piece for piece in pieces if piece]
        starts: list[int] = []
        end = 0
        for piece in wanted:
            at = self.folded.find(piece, end)
            if at < 0:
                return None
            starts.append(at)
            end = at + len(piece)
        if not wanted:
            return None
        start = starts[-1]
        for piece, first in zip(wanted[-2::-1], starts[-2::-1], strict=True):
            # A search from the right has no linear bound, so that a long piece stays as found.
            start = first if len(piece) > LONGEST_TIGHTENED else self.folded.rfind(piece, 0, start)
        return start, end

    def _original(self, position: int) -> int:
        index = bisect_right(self._folded_at, position) - 1
        return self._original_at[index] + position - self._folded_at[index]
