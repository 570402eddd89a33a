"""What a response proposes, taken from its text in a fixed order.

1. a diff: the whole text, ```diff blocks, or a raw diff behind prose
2. fenced code with a path in its info string or on the line before
3. search/replace blocks
4. nothing of that: only the prose is left

Only one kind is read, the first that is there.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from judgeweb.judging.patches.diffs import FilePatch, Malformed, Patch, merged
from judgeweb.judging.patches.paths import paths_in
from judgeweb.judging.patches.placing import OldLines, code_placed, replacement_placed
from judgeweb.judging.patches.reading import read_diff
from judgeweb.judging.text import is_blank

MOST_WORDS_BESIDE_PATH = 3
"""A line with more words is a sentence about a file, not the title of its code."""

OldText = Callable[[str], OldLines]
"""The lines of an old file that are known, by path."""


NO_CHANGE = Patch()


class Form(StrEnum):
    DIFF = "diff"
    CODE = "code"
    REPLACEMENT = "search_replace"
    PROSE = "prose"
    EMPTY = "empty"


@dataclass(frozen=True)
class Proposal:
    """`prose` is the text outside of the code and the diffs that were read."""

    form: Form
    patch: Patch = NO_CHANGE
    prose: str = ""


@dataclass(frozen=True)
class Fence:
    """A fenced block. `begins` is the index of its first content line, `before` the nearest line
    above it that is not empty."""

    info: str
    begins: int
    lines: tuple[str, ...]
    before: str


_FENCE = re.compile(r"(?P<indent> {0,12})(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)")
_DIFF_INFO = {"diff", "patch", "udiff"}
_SEARCH = re.compile(r"<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\s*")
_DIVIDER = re.compile(r"={5,9}\s*")
_REPLACE = re.compile(r">{5,9} ?(?:REPLACE|UPDATED)\b.*")
_LETTERS = re.compile(r"[\w./-]*\w[\w./-]*")
_HUNK_START = re.compile(r"@@ -\d")


def proposal_of(text: str, known: OldText) -> Proposal:
    """Read a response. `known` gives what is known of an old file, to place code without line
    numbers."""
    if is_blank(text):
        return Proposal(Form.EMPTY)
    lines = text.removeprefix("\ufeff").split("\n")
    if _is_diff_start(lines, _first_line(lines)):
        return Proposal(Form.DIFF, read_diff(text))
    fences = list(fences_of(lines))
    return (
        _from_diffs(lines, fences, known)
        or _from_code(lines, fences, known)
        or _from_replacements(lines, known)
        or Proposal(Form.PROSE, prose=_outside(lines, fences))
    )


def _first_line(lines: list[str]) -> int:
    return next(at for at, line in enumerate(lines) if line.strip())


def _is_diff_start(lines: list[str], at: int) -> bool:
    line = lines[at]
    following = lines[at + 1] if at + 1 < len(lines) else ""
    return line.startswith(("diff --git ", "Index: ")) or (
        line.startswith("--- ") and following.startswith(("+++ ", "@@ -"))
    )


def fences_of(lines: list[str]) -> Iterator[Fence]:
    """Fenced blocks, top level only; one that is not closed goes on to the end."""
    at, before = 0, ""
    while at < len(lines):
        opening = _FENCE.fullmatch(lines[at].rstrip("\r"))
        if opening is None:
            before = lines[at].strip() or before
            at += 1
            continue
        ends = at + 1
        while ends < len(lines) and not _closes(opening, lines[ends]):
            ends += 1
        content = _outdented(lines[at + 1 : ends], opening["indent"])
        yield Fence(opening["info"].strip(), at + 1, content, before)
        at, before = ends + 1, ""


def _outdented(lines: list[str], indent: str) -> tuple[str, ...]:
    """The content of a fence in a list, which is indented as the fence is. Where one line is not,
    the blanks are the content's own: a context line of a diff begins with one."""
    if not indent or any(line.strip() and not line.startswith(indent) for line in lines):
        return tuple(lines)
    return tuple(line.removeprefix(indent) for line in lines)


def _closes(opening: re.Match[str], line: str) -> bool:
    """A context line of a diff may look like a fence behind its blank: the indent must agree."""
    rest = line.rstrip()
    return rest == opening["indent"] + opening["mark"][0] * (
        len(rest) - len(opening["indent"])
    ) and len(rest) - len(opening["indent"]) >= len(opening["mark"])


def _outside(lines: list[str], fences: list[Fence]) -> str:
    """The text without its fenced blocks."""
    kept, at = [], 0
    for fence in fences:
        kept += lines[at : fence.begins - 1]
        at = fence.begins + len(fence.lines) + 1
    return "\n".join(kept + lines[at:])


def _path_named(fence: Fence) -> str:
    """The path in a fence's info string, or nearly alone on the line before; "" without one."""
    language, _, rest = fence.info.partition(" ")
    for candidate in (language.rpartition(":")[2], rest):
        if named := paths_in(candidate):
            return named[0]
    named = paths_in(fence.before)
    if len(set(named)) != 1 or len(_LETTERS.findall(fence.before)) > MOST_WORDS_BESIDE_PATH + 1:
        return ""
    return named[0]


# --- 1: diffs -----------------------------------------------------------------------------------


def _from_diffs(lines: list[str], fences: list[Fence], known: OldText) -> Proposal | None:
    # A diff that is said twice is meant once.
    found = list({fence.lines: fence for fence in fences if _is_diff(fence)}.values())
    if found:
        pieces = [_fenced_diff(fence, known) for fence in found]
        return Proposal(Form.DIFF, _together(pieces), _outside(lines, fences))
    inside = {at for f in fences for at in range(f.begins, f.begins + len(f.lines))}
    for at in range(len(lines)):
        if at not in inside and _is_diff_start(lines, at) and not lines[at].startswith("Index: "):
            patch = read_diff("\n".join(lines[at:]), first_line=at + 1)
            before = [fence for fence in fences if fence.begins < at]
            return Proposal(Form.DIFF, patch, _outside(lines[:at], before))
    return None


def _is_diff(fence: Fence) -> bool:
    if fence.info.split(" ")[0].lower() in _DIFF_INFO:
        return bool(fence.lines)
    lines = list(fence.lines)
    return any(_is_diff_start(lines, at) for at, line in enumerate(lines) if line.strip())


def _fenced_diff(fence: Fence, known: OldText) -> Patch:
    patch = read_diff("\n".join(fence.lines), first_line=fence.begins + 1)
    if patch.files or not (path := _path_named(fence)):
        return patch
    if any(_HUNK_START.match(line) for line in fence.lines):
        text = "\n".join((f"--- {path}", f"+++ {path}", *fence.lines))
        return read_diff(text, first_line=fence.begins - 1)
    changed = [line for line in fence.lines if not line.startswith("@@")]
    search = [line[1:] for line in changed if line[:1] != "+"]
    replace = [line[1:] for line in changed if line[:1] != "-"]
    fault = Malformed(fence.begins + 1, "a diff without file names and hunk headers")
    file = replacement_placed(path, search, replace, known(path))
    return Patch((file,), (fault,))


def _together(pieces: list[Patch]) -> Patch:
    files = merged([file for piece in pieces for file in piece.files])
    faults = tuple(fault for piece in pieces for fault in piece.faults)
    if not files and not faults:
        faults = (Malformed(1, "a block marked as a diff holds none"),)
    return Patch(files, faults)


# --- 2 and 3: code without line numbers ---------------------------------------------------------


def _from_code(lines: list[str], fences: list[Fence], known: OldText) -> Proposal | None:
    files: list[FilePatch] = []
    for fence in fences:
        path = _path_named(fence)
        if path and fence.lines and not any(map(_SEARCH.fullmatch, fence.lines)):
            files.append(code_placed(path, fence.lines, known(path)))
    if not files:
        return None
    return Proposal(Form.CODE, Patch(merged(files)), _outside(lines, fences))


def _from_replacements(lines: list[str], known: OldText) -> Proposal | None:
    files: list[FilePatch] = []
    prose: list[str] = []
    path, at = "", 0
    while at < len(lines):
        ends = _replacement_ends(lines, at) if _SEARCH.fullmatch(lines[at]) else None
        if ends is None:
            if not _FENCE.fullmatch(lines[at]) and (named := paths_in(lines[at])):
                path = named[-1]
            prose.append(lines[at])
            at += 1
            continue
        divider, last = ends
        if path:
            search, replace = lines[at + 1 : divider], lines[divider + 1 : last]
            files.append(replacement_placed(path, search, replace, known(path)))
        at = last + 1
    if not files:
        return None
    return Proposal(Form.REPLACEMENT, Patch(merged(files)), "\n".join(prose))


def _replacement_ends(lines: list[str], at: int) -> tuple[int, int] | None:
    """The lines of the divider and of the end of the block that begins at `at`."""
    divider = None
    for number in range(at + 1, len(lines)):
        if _SEARCH.fullmatch(lines[number]):
            return None
        if divider is None and _DIVIDER.fullmatch(lines[number]):
            divider = number
        elif divider is not None and _REPLACE.fullmatch(lines[number]):
            return divider, number
    return None
