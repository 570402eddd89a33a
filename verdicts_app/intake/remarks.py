"""What to know about an imported verdict, in words for its receipt."""

from collections.abc import Iterator

from judgeweb.judging.types import Stated, Verdict
from verdicts_app.models import Response, ResponseOutcome

NAMED = 3


def on(verdict: Verdict, warnings: tuple[str, ...], answer: Response) -> Iterator[str]:
    yield from warnings
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
