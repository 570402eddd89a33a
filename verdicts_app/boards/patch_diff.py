"""Gold patch and prediction side by side: file beside file, old line beside old line.

Both start from the same files, so that old line numbers put them in step. What is long is cut, and
says by how much; nothing here decides anything.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest

from judgeweb.judging.patches.diffs import FilePatch
from judgeweb.judging.patches.display import SideFile, SideLine, sides
from judgeweb.judging.patches.locations import MODULE, scope_at
from judgeweb.judging.text import visible
from judgeweb.judging.types import FunctionSpan

Functions = Mapping[str, tuple[FunctionSpan, ...]]

MOST_FILES = 40
MOST_ROWS = 2000
"""Rows that are shown, of all files together."""
OPEN_ROWS = 150
"""A file with more rows is folded at first."""
LONGEST_LINE = 400
MOST_ALIGNED = 200
"""Added lines at one place that are put beside their likeness; more stand in their order."""


@dataclass(frozen=True)
class DiffCell:
    """One line of one side. `left_out` counts the characters cut off its end."""

    sign: str
    text: str
    old: int | None
    is_matched: bool
    left_out: int = 0

    @property
    def kind(self) -> str:
        return {"+": "add", "-": "del"}.get(self.sign, "")

    @property
    def mark(self) -> str:
        """The sign as it is printed: a true minus."""
        return "\N{MINUS SIGN}" if self.sign == "-" else self.sign.strip()


@dataclass(frozen=True)
class DiffRow:
    """Both sides of one line; None where a side has none. A `heading` opens a stretch of lines and
    stands alone."""

    gold: DiffCell | None = None
    predicted: DiffCell | None = None
    heading: str = ""


@dataclass(frozen=True)
class Counted:
    added: int
    removed: int
    matched: int


@dataclass(frozen=True)
class DiffFile:
    """`gold` or `predicted` is None where that side leaves the file alone. `left_out` counts the
    rows beyond what is shown."""

    path: str
    change: str
    gold: Counted | None
    predicted: Counted | None
    rows: tuple[DiffRow, ...]
    left_out: int
    is_open: bool

    @property
    def is_shared(self) -> bool:
        return self.gold is not None and self.predicted is not None

    @property
    def lines(self) -> int:
        return len(self.rows) + self.left_out


@dataclass(frozen=True)
class Diff:
    """`files_left_out` counts the files beyond those shown."""

    files: tuple[DiffFile, ...]
    files_left_out: int


def diff_of(
    gold: Sequence[FilePatch], predicted: Sequence[FilePatch], functions: Functions
) -> Diff:
    """Shared files first, then those of the gold patch alone, then the prediction's own."""
    one, other = sides(gold, predicted)
    left, right = _by_path(gold, one), _by_path(predicted, other)
    paths = sorted({*left, *right}, key=lambda path: (path not in right, path not in left, path))
    room = MOST_ROWS
    files = []
    for path in paths[:MOST_FILES]:
        rows = list(_rows(left.get(path), right.get(path), functions.get(path, ())))
        shown = tuple(rows[: max(room, 0)])
        room -= len(shown)
        files.append(_file(path, left.get(path), right.get(path), shown, len(rows) - len(shown)))
    return Diff(tuple(files), max(len(paths) - MOST_FILES, 0))


# --- one side of a file -------------------------------------------------------------------------


@dataclass
class _Side:
    """Lines by the old line that they are, or behind which they are added. `loose` are those
    whose place is not known, or that the diff shows again."""

    patches: list[FilePatch] = field(default_factory=list)
    lines: list[SideLine] = field(default_factory=list)
    old: dict[int, SideLine] = field(default_factory=dict)
    added: dict[int, list[SideLine]] = field(default_factory=lambda: defaultdict(list))
    loose: list[SideLine] = field(default_factory=list)
    sections: dict[int, str] = field(default_factory=dict)


def _by_path(patches: Sequence[FilePatch], shown: Sequence[SideFile]) -> dict[str, _Side]:
    found: dict[str, _Side] = defaultdict(_Side)
    for patch, file in zip(patches, shown, strict=True):
        side = found[patch.path]
        side.patches.append(patch)
        for hunk, lines in zip(patch.hunks, file.hunks, strict=True):
            for place, line in zip(hunk.lines, lines, strict=True):
                side.lines.append(line)
                if place.old < 0 or (line.sign != "+" and place.old in side.old):
                    side.loose.append(line)
                elif line.sign == "+":
                    side.added[place.old].append(line)
                else:
                    side.old[place.old] = line
                if hunk.section and place.old >= 0:
                    side.sections.setdefault(place.old, hunk.section)
    return dict(found)


def _file(
    path: str, gold: _Side | None, predicted: _Side | None, rows: tuple[DiffRow, ...], left_out: int
) -> DiffFile:
    changes = (*_changes(gold, "gold patch"), *_changes(predicted, "prediction"))
    return DiffFile(
        path=visible(path)[0],
        change=", ".join(dict.fromkeys(changes)),
        gold=_counted(gold),
        predicted=_counted(predicted),
        rows=rows,
        left_out=left_out,
        is_open=0 < len(rows) <= OPEN_ROWS and not left_out,
    )


def _changes(side: _Side | None, name: str) -> Iterator[str]:
    """What is done to the whole file, in words."""
    for patch in side.patches if side else ():
        if patch.is_new:
            yield f"made by the {name}"
        if patch.is_deleted:
            yield f"deleted by the {name}"
        if patch.is_renamed:
            yield f"renamed to {visible(patch.new_path)[0]} by the {name}"
        if patch.binary is not None:
            yield f"binary in the {name}"


def _counted(side: _Side | None) -> Counted | None:
    if side is None:
        return None
    signs = [line.sign for line in side.lines]
    matched = sum(line.is_matched for line in side.lines)
    return Counted(signs.count("+"), signs.count("-"), matched)


# --- both in step -------------------------------------------------------------------------------


def _rows(
    gold: _Side | None, predicted: _Side | None, spans: tuple[FunctionSpan, ...]
) -> Iterator[DiffRow]:
    one, other = gold or _Side(), predicted or _Side()
    for places in _stretches({*one.old, *one.added, *other.old, *other.added}):
        yield DiffRow(heading=_heading(places, one, other, spans))
        for place in places:
            if place in one.old or place in other.old:
                yield DiffRow(_cell(one.old.get(place)), _cell(other.old.get(place)))
            yield from _beside(one.added.get(place, ()), other.added.get(place, ()))
    if one.loose or other.loose:
        yield DiffRow(heading="place in the old file not known, or shown before")
        yield from _beside(one.loose, other.loose)


def _stretches(places: Iterable[int]) -> Iterator[list[int]]:
    """Runs of places that follow one another."""
    run: list[int] = []
    for place in sorted(places):
        if run and place > run[-1] + 1:
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def _heading(
    places: Sequence[int], one: _Side, other: _Side, spans: tuple[FunctionSpan, ...]
) -> str:
    """The scopes that the stretch changes, else what the diff itself prints there."""
    changed = [place for place in places if any(_is_changed(side, place) for side in (one, other))]
    if spans:
        names = dict.fromkeys(scope_at(spans, place) for place in changed)
        scope = ", ".join("module level" if name == MODULE else name for name in names)
    else:
        sections = (one.sections.get(places[0]), other.sections.get(places[0]))
        scope = next(filter(None, sections), "")
    lines = f"line {places[0]}" if len(places) == 1 else f"lines {places[0]} to {places[-1]}"
    return f"{visible(scope)[0][:LONGEST_LINE]}, {lines}" if scope else lines


def _is_changed(side: _Side, place: int) -> bool:
    old = side.old.get(place)
    return place in side.added or (old is not None and old.sign == "-")


def _beside(one: Sequence[SideLine], other: Sequence[SideLine]) -> Iterator[DiffRow]:
    """Lines added at one place, like beside like."""
    if max(len(one), len(other)) > MOST_ALIGNED:
        pieces = [(0, len(one), 0, len(other))]
    else:
        left_texts, right_texts = _bare(one), _bare(other)
        matcher = SequenceMatcher(None, left_texts, right_texts, autojunk=False)
        pieces = [places[1:] for places in matcher.get_opcodes()]
    for i, i_end, j, j_end in pieces:
        for left, right in zip_longest(one[i:i_end], other[j:j_end]):
            yield DiffRow(_cell(left), _cell(right))


def _bare(lines: Sequence[SideLine]) -> list[str]:
    return [line.text.strip() for line in lines]


def _cell(line: SideLine | None) -> DiffCell | None:
    if line is None:
        return None
    cut = line.text[:LONGEST_LINE]
    return DiffCell(line.sign, cut, line.old, line.is_matched, len(line.text) - len(cut))
