"""The gold patch made ready: it is compared with many predictions."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from judgeweb.judging.patches.changes import Block, Changes, gold_changes
from judgeweb.judging.patches.diffs import Patch
from judgeweb.judging.patches.reading import read_diff
from judgeweb.judging.patches.similarity import (
    Bags,
    Edit,
    change_bags,
    introduced,
    ratio,
    signed_edits,
)

FLIPPED = {"+": "-", "-": "+"}


@dataclass(frozen=True)
class Gold:
    """`test_paths` are the files of the test patch: never source."""

    patch: Patch
    test_paths: frozenset[str]
    changes: Changes

    @cached_property
    def by_path(self) -> Mapping[str, tuple[Block, ...]]:
        return self.changes.by_path

    @cached_property
    def bags(self) -> Bags:
        return change_bags(self.changes.blocks)

    @cached_property
    def is_move(self) -> bool:
        """Code is moved or indented, and no token comes or goes."""
        return self.bags.is_empty and bool(self.changes.blocks)

    @cached_property
    def is_binary(self) -> bool:
        """Nothing but binary content changes."""
        kinds = {operation[0] for operation in self.changes.operations}
        return "binary" in kinds and not self.changes.blocks

    @cached_property
    def names(self) -> frozenset[str]:
        return introduced(self.bags)

    @cached_property
    def counts(self) -> Mapping[Block, tuple[Counter[str], Counter[str]]]:
        return {
            block: (Counter(block.added), Counter(block.removed)) for block in self.changes.blocks
        }

    @cached_property
    def added(self) -> tuple[str, ...]:
        return tuple(token for block in self.changes.blocks for token in block.added)

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """Where code is moved: what the patch takes out and puts in, in order."""
        return signed_edits(self.changes.blocks)

    @cached_property
    def undone_likeness(self) -> float:
        """How much the edits look like those of their own undoing; what is below earns nothing."""
        undone = (
            replace(
                block,
                removed=block.added,
                added=block.removed,
                indents=_flipped(block),
            )
            for block in self.changes.blocks
        )
        return max(0.5, ratio(self.edits, signed_edits(undone)))


@lru_cache(maxsize=256)
def gold_of(gold_patch: str, test_patch: str = "") -> Gold:
    """Read a gold patch. It may be malformed or empty: who asks decides what that means."""
    patch = read_diff(gold_patch)
    tests = frozenset(file.path for file in read_diff(test_patch).files)
    return Gold(patch, tests, gold_changes(patch, as_tests=tests))


def _flipped(block: Block) -> tuple[tuple[str, int], ...]:
    """The widths of the undone change, what is removed first."""
    widths = [(FLIPPED[sign], width) for sign, width in block.indents]
    return tuple(sorted(widths, key=lambda one: one[0] == "+"))
