"""Code without line numbers, put where the old file has it.

Of an old file either all lines are known or only those that the gold patch shows. A line that is
found there has its number; around it numbers are counted on. What is not found stays unplaced: it
can earn its content, but no place.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import NamedTuple

from judgeweb.judging.patches.changes import UNPLACED
from judgeweb.judging.patches.diffs import FilePatch, Hunk, Line
from judgeweb.judging.patches.tokens import code_lines, language_of

LONGEST = 500
"""Lines that are aligned; of more, the rest is left out."""
MOST_TRIES = 500
"""Places at which a piece is tried."""


class OldLine(NamedTuple):
    number: int
    text: str


OldLines = Sequence[OldLine]


def old_lines_of(text: str) -> OldLines:
    return [OldLine(number, line) for number, line in enumerate(text.split("\n"), 1)]


def old_lines_in(files: Sequence[FilePatch], path: str) -> OldLines:
    """The lines of an old file that the hunks of a patch show."""
    return [
        OldLine(line.old, line.text)
        for file in files
        if file.path == path
        for hunk in file.hunks
        for line in hunk.lines
        if line.sign != "+"
    ]


def replacement_placed(
    path: str, search: Sequence[str], replace: Sequence[str], known: OldLines
) -> FilePatch:
    """A search/replace block as a patch of its file."""
    search, replace = _plain(search), _plain(replace)
    first = _number_of_first(path, search, known)
    lines: list[Line] = []
    for tag, i, i_end, j, j_end in SequenceMatcher(
        None, search, replace, autojunk=False
    ).get_opcodes():
        sign = " " if tag == "equal" else "-"
        for at in range(i, i_end):
            lines.append(Line(sign, search[at], UNPLACED if first is None else first + at))
        if tag != "equal":
            before = UNPLACED if first is None else max(0, first + i_end - 1)
            lines += [Line("+", text, before) for text in replace[j:j_end]]
    return FilePatch(path, path, _hunks(lines))


def code_placed(path: str, code: Sequence[str], known: OldLines) -> FilePatch:
    """New code of a file as a patch: what the old file has too is context, what it has between
    the first and the last such line and the code has not is removed."""
    code = _plain(code)
    old = list(known)[:LONGEST]
    bearing = [bool(line.tokens) for line in code_lines(code, language_of(path))]
    matcher = SequenceMatcher(
        None, [_bare(line.text) for line in old], list(map(_bare, code)), autojunk=False
    )
    pairs = [
        (block.a + at, block.b + at)
        for block in matcher.get_matching_blocks()
        for at in range(block.size)
    ]
    found = [at for at, (_, in_code) in enumerate(pairs) if bearing[in_code]]
    if not found:
        return FilePatch(path, path, _hunks([Line("+", text, UNPLACED) for text in code]))
    anchors = pairs[found[0] : found[-1] + 1]
    (first, begins), (last, ends) = anchors[0], anchors[-1]
    lines = [Line("+", text, old[first].number - 1) for text in code[:begins]]
    i, j = first, begins
    for place, at in anchors:
        lines += [Line("-", line.text, line.number) for line in old[i:place]]
        lines += [Line("+", text, old[place].number - 1) for text in code[j:at]]
        lines.append(Line(" ", code[at], old[place].number))
        i, j = place + 1, at + 1
    lines += [Line("+", text, old[last].number) for text in code[ends + 1 :]]
    return FilePatch(path, path, _hunks(lines))


def _plain(lines: Sequence[str]) -> list[str]:
    return [line.removesuffix("\r") for line in lines[:LONGEST]]


def _bare(text: str) -> str:
    return text.rstrip()


def _number_of_first(path: str, search: Sequence[str], known: OldLines) -> int | None:
    """The old number of the first line searched for. Where lines are known they must agree."""
    wanted = list(map(_bare, search))
    by_number = {line.number: _bare(line.text) for line in known}
    numbers: dict[str, list[int]] = {}
    for number, text in by_number.items():
        numbers.setdefault(text, []).append(number)
    bearing = [bool(line.tokens) for line in code_lines(search, language_of(path))]
    candidates = (
        number - at
        for at, text in enumerate(wanted)
        if bearing[at]
        for number in numbers.get(text, ())
    )
    for first in dict.fromkeys(islice(candidates, MOST_TRIES)):
        if all(by_number.get(first + k, one) == one for k, one in enumerate(wanted)):
            return first
    return None


def _hunks(lines: list[Line]) -> tuple[Hunk, ...]:
    """One hunk for each stretch of lines whose old numbers follow one another."""
    hunks: list[Hunk] = []
    stretch: list[Line] = []
    for line in lines:
        if stretch and line.old not in (stretch[-1].old, stretch[-1].old + 1, UNPLACED):
            hunks.append(_hunk(stretch))
            stretch = []
        stretch.append(line)
    if stretch:
        hunks.append(_hunk(stretch))
    return tuple(hunks)


def _hunk(lines: list[Line]) -> Hunk:
    return Hunk(lines[0].old, lines[0].old, "", tuple(lines))
