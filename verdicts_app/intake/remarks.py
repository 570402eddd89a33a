"""What to know about an imported verdict, in words for its receipt."""

from collections.abc import Iterator

from judgeweb.judging.types import Flag, Stated, Verdict
from verdicts_app.models import Response, ResponseOutcome

NAMED = 3


FLAGS = {
    Flag.COERCED: "numbers that came as text were read as numbers",
    Flag.REPAIRED: "the judge's JSON was repaired, without a change to any text",
    Flag.UNKNOWN_DIMENSION: "dimensions that are not known are noted, not counted",
    Flag.EVIDENCE_NOT_FOUND: "quotes that do not stand in the answer",
}
"""Flags of a verdict as its receipt says them; the others are told by key, or are none of its
file's."""


def on(verdict: Verdict, warnings: tuple[str, ...], answer: Response) -> Iterator[str]:
    yield from warnings
    yield from (words for flag, words in FLAGS.items() if flag in verdict.flags)
    differing = [one for one in verdict.stated if one.differs]
    if differing:
        named = ", ".join(map(_figure, differing[:NAMED]))
        more = f" and {len(differing) - NAMED} more" if len(differing) > NAMED else ""
        yield f"states what its marks do not give: {named}{more}; both are kept"
    if verdict.total is None and not (verdict.parts or verdict.comparison):
        yield "no total is computed: what it states is kept as said"
    if answer.outcome == ResponseOutcome.ABSENT and any(one.evidence for one in verdict.findings):
        yield "the answer that it judges is not in this run: its quotes are not looked up"


def _figure(one: Stated) -> str:
    return f"{one.name} {one.stated} (computed: {one.computed})"
