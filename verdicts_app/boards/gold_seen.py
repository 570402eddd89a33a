"""The gold standard behind a calibration, as the page of its verdict shows it."""

from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.documents import GoldDocument
from rubrics_app.models import Revision, RevisionKind
from rubrics_app.selectors import gold_document, newest_revision


@dataclass(frozen=True)
class GoldSeen:
    """The gold standard whose answer is judged. `deviation` is this verdict's total less the gold
    score; `newest` is the revision published now."""

    revision: Revision
    document: GoldDocument
    deviation: Fraction | None
    newest: int


def gold_seen(revision: Revision | None, total: Fraction | None) -> GoldSeen | None:
    if revision is None:
        return None
    document = gold_document(revision)
    newest = newest_revision(RevisionKind.GOLD, revision.key)
    return GoldSeen(
        revision,
        document,
        deviation=None if total is None else total - Fraction(document.score),
        newest=newest.number if newest else revision.number,
    )
