"""What a page shows beside a patch verdict: what was touched, and both diffs with matching lines.

`details` goes into `Verdict.extra`, `sides` is computed again for the page, as it repeats both
texts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from judgeweb.judging.patches.changes import Block, Changes, code_of
from judgeweb.judging.patches.diffs import FilePatch
from judgeweb.judging.patches.gold import Gold
from judgeweb.judging.patches.locations import distance, scopes_of
from judgeweb.judging.patches.tokens import language_of
from judgeweb.judging.text import visible
from judgeweb.judging.types import FunctionSpan

Functions = Mapping[str, tuple[FunctionSpan, ...]]

T = TypeVar("T")

MOST_LISTED = 200
"""Files, scopes or blocks of one kind that are listed."""


def details(gold: Gold, changes: Changes, functions: Functions) -> dict[str, Any]:
    """Fit for JSON:

    {"files": [{"path", "gold", "predicted"}],
     "scopes": [{"path", "name", "gold", "predicted"}],   ("" is the module; only indexed files)
     "blocks": {"gold": [...], "predicted": [...]},       of {"path", "first", "last", "added_only",
                                                          "distance"}, old lines, distance to the
                                                          nearest of the other side, null: none
     "apart": {"tests", "scratch", "documents", "unsafe"},
     "localisation": {"file", "scope", "line"}}           whether every gold file, scope and block
                                                          is touched; scope null without an index
    """
    other_blocks = changes.by_path
    wanted = scopes_of(gold.changes.blocks, functions)
    touched = scopes_of(changes.blocks, functions)
    gold_blocks = _blocks(gold.changes.blocks, other_blocks)
    wanted_files, files = set(gold.changes.paths), set(changes.paths)
    return {
        "files": [
            {"path": _text(path), "gold": path in wanted_files, "predicted": path in files}
            for path in _first(sorted(wanted_files | files))
        ],
        "scopes": [
            {
                "path": _text(path),
                "name": name,
                "gold": (path, name) in wanted,
                "predicted": (path, name) in touched,
            }
            for path, name in _first(sorted(wanted | touched))
        ],
        "blocks": {"gold": gold_blocks, "predicted": _blocks(changes.blocks, gold.by_path)},
        "apart": {
            kind: [_text(path) for path in _first(getattr(changes, kind))]
            for kind in ("tests", "scratch", "documents", "unsafe")
        },
        "localisation": {
            "file": wanted_files <= files,
            "scope": wanted <= touched if wanted else None,
            "line": bool(gold_blocks) and all(block["distance"] == 0 for block in gold_blocks),
        },
    }


def _text(path: str) -> str:
    return visible(path)[0]


def _first(items: Sequence[T]) -> Sequence[T]:
    return items[:MOST_LISTED]


def _blocks(blocks: Sequence[Block], others: Mapping[str, Sequence[Block]]) -> list[dict[str, Any]]:
    return [
        {
            "path": _text(block.path),
            "first": block.first if block.is_placed else None,
            "last": block.last if block.is_placed else None,
            "added_only": block.is_insertion,
            "distance": _nearest(block, others.get(block.path, ())),
        }
        for block in _first(blocks)
    ]


def _nearest(block: Block, others: Iterable[Block]) -> int | None:
    near = [int(distance(block, other)) for other in others if other.is_placed and block.is_placed]
    return min(near, default=None)


# --- both diffs side by side --------------------------------------------------------------------


@dataclass(frozen=True)
class SideLine:
    """`old` is None for an added line and where it is unknown. `is_matched`: the other patch
    makes the same change to this line, white space and comments aside."""

    sign: str
    text: str
    old: int | None
    is_matched: bool


@dataclass(frozen=True)
class SideFile:
    path: str
    is_shared: bool
    hunks: tuple[tuple[SideLine, ...], ...]


def sides(
    gold: Sequence[FilePatch], other: Sequence[FilePatch]
) -> tuple[tuple[SideFile, ...], tuple[SideFile, ...]]:
    """Both patches for display, the gold one first. Each changed line matches one at most."""
    return _side(gold, other), _side(other, gold)


Change = tuple[str, tuple[str, ...]]


def _side(files: Sequence[FilePatch], others: Sequence[FilePatch]) -> tuple[SideFile, ...]:
    found = []
    for file in files:
        counterparts = [other for other in others if other.path == file.path]
        left = Counter(change for other in counterparts for change in _changes(other) if change)
        changes = iter(_changes(file))
        found.append(
            SideFile(
                _text(file.path),
                bool(counterparts),
                tuple(
                    tuple(
                        SideLine(
                            line.sign,
                            _text(line.text),
                            line.old if line.sign != "+" and line.old > 0 else None,
                            _take(left, next(changes)),
                        )
                        for line in hunk.lines
                    )
                    for hunk in file.hunks
                ),
            )
        )
    return tuple(found)


def _take(left: Counter[Change], change: Change | None) -> bool:
    if change is None or not left[change]:
        return False
    left[change] -= 1
    return True


def _changes(file: FilePatch) -> list[Change | None]:
    """Sign and tokens of every line of the hunks, None for context and lines without code."""
    language = language_of(file.path)
    found: list[Change | None] = []
    for hunk in file.hunks:
        code = code_of(hunk, language)
        for line, read in zip(hunk.lines, code, strict=True):
            is_change = line.sign != " " and bool(read.tokens)
            found.append((line.sign, read.tokens) if is_change else None)
    return found
