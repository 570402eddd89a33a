"""What a patch changes, as blocks of tokens in lines of the old file.

Gold and prediction share the base commit, so that old line numbers compare directly; section
headers do not (git prints the class, GitHub the function).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from judgeweb.judging.patches.diffs import FilePatch, Hunk, Line, Patch
from judgeweb.judging.patches.paths import Role, role_of
from judgeweb.judging.patches.tokens import (
    CodeLine,
    Language,
    code_lines,
    joined,
    language_of,
)

Read = tuple[Line, CodeLine]

UNPLACED = -1
MODE = "mode"
"""The operation that changes who may run a file."""


@dataclass(frozen=True)
class Block:
    """A maximal run of removed and added lines.

    `first` and `last` are the old lines that it removes; where it only adds, the last code line
    before it and the line after it. `place` is the first line of code that it removes, or the last
    before what it adds. UNPLACED where the place is unknown. `lines` counts changed
    lines with code. `indents` are (sign, width) of the lines with code, in the order of the diff.
    """

    path: str
    first: int
    last: int
    place: int
    removed: tuple[str, ...]
    added: tuple[str, ...]
    lines: int
    indents: tuple[tuple[str, int], ...]
    is_insertion: bool = False

    @property
    def is_placed(self) -> bool:
        return self.first != UNPLACED

    @property
    def size(self) -> int:
        """How many tokens it changes."""
        return len(self.removed) + len(self.added)


@dataclass(frozen=True)
class Changes:
    """A patch sorted for comparison: source files with their blocks, and what is set apart."""

    source: tuple[FilePatch, ...]
    tests: tuple[str, ...]
    scratch: tuple[str, ...]
    documents: tuple[str, ...]
    unsafe: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(file.path for file in self.source))

    @property
    def by_path(self) -> Mapping[str, tuple[Block, ...]]:
        found: dict[str, list[Block]] = {path: [] for path in self.paths}
        for block in self.blocks:
            found[block.path].append(block)
        return {path: tuple(blocks) for path, blocks in found.items()}

    @property
    def lines(self) -> int:
        return sum(block.lines for block in self.blocks)

    @property
    def operations(self) -> tuple[tuple[str, ...], ...]:
        """What is done to whole files: renames, deletions, binary contents ("" where the diff
        does not hold them), modes."""
        return tuple(sorted(operation for file in self.source for operation in _operations(file)))

    @property
    def changes_code(self) -> bool:
        """False where there are comments, docstrings, white space and modes alone."""
        return bool(self.blocks) or any(kind != MODE for kind, *_ in self.operations)


def _operations(file: FilePatch) -> Iterable[tuple[str, ...]]:
    if file.is_renamed:
        yield "rename", file.old_path, file.new_path
    if file.is_deleted:
        yield "delete", file.path
    if file.binary is not None:
        yield "binary", file.path, file.binary
    if file.mode_changed and not file.hunks:
        yield MODE, file.path


def changes_of(
    patch: Patch, *, as_source: Iterable[str] = (), as_tests: Iterable[str] = ()
) -> Changes:
    """Sort the files of a patch. `as_source` are paths that count as source whatever they are
    called (those of the gold patch), `as_tests` those of the test patch."""
    kept, tested = frozenset(as_source), frozenset(as_tests)
    apart: dict[Role, list[str]] = {role: [] for role in Role}
    source, unsafe = [], []
    for file in patch.files:
        if not file.is_safe:
            unsafe.append(file.path)
            continue
        role = role_of(file.path, is_new=file.is_new)
        if file.path in kept:
            role = Role.SOURCE
        elif file.path in tested:
            role = Role.TEST
        apart[role].append(file.path)
        if role is Role.SOURCE:
            source.append(file)
    blocks = tuple(block for file in source for block in blocks_of(file))
    return Changes(
        tuple(source),
        tuple(apart[Role.TEST]),
        tuple(apart[Role.SCRATCH]),
        tuple(apart[Role.DOCUMENT]),
        tuple(unsafe),
        blocks,
    )


def gold_changes(patch: Patch, *, as_tests: Iterable[str] = ()) -> Changes:
    """The gold patch sorted. Where it touches no source file, all of its files are meant."""
    changes = changes_of(patch, as_tests=as_tests)
    if changes.source:
        return changes
    return changes_of(patch, as_source=[file.path for file in patch.files])


def blocks_of(file: FilePatch) -> tuple[Block, ...]:
    """The blocks of a file that change code."""
    language = language_of(file.path)
    found = [block for hunk in file.hunks for block in _blocks(file.path, hunk, language)]
    return tuple(found)


def _blocks(path: str, hunk: Hunk, language: Language) -> Iterable[Block]:
    code = code_of(hunk, language)
    blank_old = {
        line.old
        for line, read in zip(hunk.lines, code, strict=True)
        if line.sign != "+" and not read.tokens
    }
    for at, lines in hunk.runs():
        block = _block(path, lines, code[at : at + len(lines)], blank_old)
        if block:
            yield block


def code_of(hunk: Hunk, language: Language) -> list[CodeLine]:
    """The code of every line of the hunk, each side read in its own context."""
    found: dict[int, CodeLine] = {}
    for absent in ("-", "+"):
        places = [at for at, line in enumerate(hunk.lines) if line.sign != absent]
        side = code_lines([hunk.lines[at].text for at in places], language)
        found.update(zip(places, side, strict=True))
    return [found[at] for at in range(len(hunk.lines))]


def _block(
    path: str, lines: tuple[Line, ...], code: list[CodeLine], blank_old: set[int]
) -> Block | None:
    """None where the run changes no code."""
    pairs = [(line, read) for line, read in zip(lines, code, strict=True) if read.tokens]
    removed = [(line, read) for line, read in pairs if line.sign == "-"]
    added = [(line, read) for line, read in pairs if line.sign == "+"]
    before, after = joined([read for _, read in removed]), joined([read for _, read in added])
    if before == after and _is_laid_out_alike(removed, added):
        return None
    if removed:
        old = [line.old for line in lines if line.sign == "-"]
        first, last, place = old[0], old[-1], removed[0][0].old
    else:
        place = next(line.old for line in lines if line.sign == "+")
        last = place + 1
        while place > 0 and place in blank_old:
            place -= 1
        first = place
    return Block(
        path,
        first,
        last,
        place,
        before,
        after,
        len(pairs),
        tuple((line.sign, read.indent) for line, read in pairs),
        is_insertion=not removed,
    )


def _is_laid_out_alike(removed: list[Read], added: list[Read]) -> bool:
    """True where the indentation is the same, or lines are only broken otherwise."""
    widths = [[read.indent for _, read in side] for side in (removed, added)]
    return len(removed) != len(added) or widths[0] == widths[1]
