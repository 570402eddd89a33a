"""What there is to know about a response beside its numbers."""

from collections.abc import Iterator, Sequence

from judgeweb.judging.patches.changes import Changes
from judgeweb.judging.patches.gold import Gold
from judgeweb.judging.patches.measures import Measures
from judgeweb.judging.patches.responses import Form, Proposal
from judgeweb.judging.text import one_line, visible
from judgeweb.judging.types import Flag

MOST_NOTES = 20
Notes = tuple[str, ...]


def flags_and_notes(
    gold: Gold, proposal: Proposal, changes: Changes, measures: Measures | None
) -> tuple[tuple[Flag, ...], Notes]:
    """`measures` None: there is no patch."""
    found = list(_found(gold, proposal, changes, measures))
    flags = tuple(dict.fromkeys(flag for flag, _ in found if flag))
    notes = tuple(note for _, note in found if note)
    return flags, notes[:MOST_NOTES]


def _found(
    gold: Gold, proposal: Proposal, changes: Changes, measures: Measures | None
) -> Iterator[tuple[Flag | None, str]]:
    if proposal.form is Form.EMPTY:
        yield Flag.EMPTY_ANSWER, "Empty patch."
    if proposal.form is Form.PROSE:
        yield Flag.NO_PATCH, "No diff found."
    for fault in proposal.patch.faults:
        yield Flag.MALFORMED_PATCH, f"Malformed diff, line {fault.line}: {fault.message}."
    for path in changes.unsafe:
        yield Flag.UNSAFE_PATH, f"Outside of the repository, not counted: {_name(path)}."
    yield from _of_files(gold, proposal, changes)
    if measures:
        yield from _of_measures(measures)


def _of_measures(measures: Measures) -> Iterator[tuple[Flag | None, str]]:
    if not measures.changes_code:
        yield Flag.NO_CODE_CHANGE, "No change of code in source files."
    if measures.is_same:
        yield Flag.SAME_AS_GOLD, ""
    if measures.is_cut:
        yield Flag.CUT_SHORT, "Too large to be compared whole: the beginning was."
    if not measures.has_scopes:
        yield None, "No function index: nearness of lines stands in for the scopes."


def _of_files(
    gold: Gold, proposal: Proposal, changes: Changes
) -> Iterator[tuple[Flag | None, str]]:
    if any(file.binary is not None for file in (*gold.changes.source, *changes.source)):
        yield Flag.BINARY_PATCH, "Binary content is compared only where both diffs hold it whole."
    ends = {file.path: file.has_cr for file in gold.changes.source}
    others = [f.path for f in changes.source if f.hunks and ends.get(f.path, f.has_cr) != f.has_cr]
    if others and proposal.form is Form.DIFF:
        yield Flag.LINE_ENDS, f"Other line ends than in the gold patch: {_names(others)}."
    extra = [path for path in changes.paths if path not in gold.changes.paths]
    for label, paths in (
        ("Extra source files", extra),
        ("Tests, set apart", changes.tests),
        ("Scratch files, set apart", changes.scratch),
        ("Documents, set apart", changes.documents),
    ):
        if paths:
            yield None, f"{label}: {_names(paths)}."


def _name(path: str) -> str:
    return one_line(visible(path)[0])[:200]


def _names(paths: Sequence[str]) -> str:
    shown = ", ".join(map(_name, paths[:10]))
    return f"{shown} and {len(paths) - 10} more" if len(paths) > 10 else shown
