"""Unified diffs read by the counts of their hunks, never by the looks of a line.

A removed SQL comment looks like a header (`--- drop`), a context line may look like anything. So a
hunk takes exactly the lines that its header counts. What breaks the counts is a fault with its
line; what was read until then stays, and a patch with a fault is never called applied.
Sources: git's diff format, GNU diffutils (unified format). Lines are split on LF alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from judgeweb.judging.patches.paths import is_safe, normal


@dataclass(frozen=True, slots=True)
class Line:
    """`sign` is " ", "+" or "-". `old` is its number in the old file, for an added line that of
    the old line before it (0: none). `text` lacks the line's CR."""

    sign: str
    text: str
    old: int
    has_cr: bool = False


@dataclass(frozen=True, slots=True)
class Hunk:
    old_start: int
    new_start: int
    section: str
    lines: tuple[Line, ...]

    def runs(self) -> Iterator[tuple[int, tuple[Line, ...]]]:
        """The blocks: maximal runs of changed lines, each with the index of its first line."""
        at = 0
        for is_context, group in groupby(self.lines, key=lambda line: line.sign == " "):
            lines = tuple(group)
            if not is_context:
                yield at, lines
            at += len(lines)


@dataclass(frozen=True)
class FilePatch:
    """What a patch does to one file. A path is "" on the side where the file does not exist.

    `binary` is the literal content of a full binary diff, "" of one that says only that the files
    differ, None for text."""

    old_path: str
    new_path: str
    hunks: tuple[Hunk, ...] = ()
    binary: str | None = None
    mode_changed: bool = False

    @property
    def path(self) -> str:
        """Where the file lies before the patch; where it is put if it is new."""
        return self.old_path or self.new_path

    @property
    def is_new(self) -> bool:
        return not self.old_path

    @property
    def is_deleted(self) -> bool:
        return not self.new_path

    @property
    def is_renamed(self) -> bool:
        return bool(self.old_path and self.new_path and self.old_path != self.new_path)

    @property
    def is_safe(self) -> bool:
        return all(is_safe(path) for path in (self.old_path, self.new_path) if path)

    @property
    def has_cr(self) -> bool:
        return any(line.has_cr for hunk in self.hunks for line in hunk.lines)


@dataclass(frozen=True)
class Malformed:
    """What is wrong with a diff, and the line (from 1) where."""

    line: int
    message: str


@dataclass(frozen=True)
class Patch:
    """Files in the order of the diff, each path once."""

    files: tuple[FilePatch, ...] = ()
    faults: tuple[Malformed, ...] = ()

    @property
    def is_malformed(self) -> bool:
        return bool(self.faults)


@dataclass
class Draft:
    """A file whose diff is being read. `is_moved`: git's own lines name it as renamed or copied.
    `named_at` is the line of its names `---` and `+++`, None where only git's own line names it."""

    old: str
    new: str
    hunks: list[Hunk] = field(default_factory=list)
    binary: str | None = None
    mode_changed: bool = False
    is_moved: bool = False
    named_at: int | None = None

    def done(self) -> FilePatch:
        return FilePatch(
            normal(self.old), normal(self.new), tuple(self.hunks), self.binary, self.mode_changed
        )


def merged(files: list[FilePatch]) -> tuple[FilePatch, ...]:
    """Each path once: a diff may come in several pieces. A hunk that comes twice can be meant only
    once: its place is taken."""
    pieces: dict[tuple[str, str], list[FilePatch]] = {}
    for file in files:
        pieces.setdefault((file.old_path, file.new_path), []).append(file)
    return tuple(
        FilePatch(
            *names,
            tuple(dict.fromkeys(hunk for file in same for hunk in file.hunks)),
            next((file.binary for file in same if file.binary is not None), None),
            any(file.mode_changed for file in same),
        )
        for names, same in pieces.items()
    )
