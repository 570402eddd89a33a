"""The rows of an upload's tables, gathered from all its files, and the verdicts that they make."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from verdicts_app.intake import rows
from verdicts_app.intake.files import Piece
from verdicts_app.intake.imported import ELSEWHERE, Made
from verdicts_app.intake.judged.types import Given, Judged
from verdicts_app.intake.receipts import Refusal, Tally
from verdicts_app.intake.rows import findings
from verdicts_app.intake.rows.findings import Review
from verdicts_app.intake.rows.types import Row
from verdicts_app.intake.shapes import subject_of
from verdicts_app.intake.usage import Usage


@dataclass
class Table:
    """`judge` is for rows that name none."""

    judge: str = ""
    _rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))

    def takes(self, file: str, piece: Piece) -> bool:
        """Whether the piece is a row of a table; then it is kept until all files are read."""
        if not isinstance(piece.document, Mapping):
            return False
        kind = rows.kind_of(piece.document.keys())
        if kind:
            self._rows[kind].append(Row(file, piece.place, piece.document))
        return bool(kind)

    def made(self, tally: Tally) -> Iterator[Made]:
        """The verdicts of the rows; a review with a faulty row is refused as a whole."""
        found = findings.reviews(self._rows["findings"], self._rows["counts"], judge=self.judge)
        _refuse_bare_counts(found, tally)
        for review in found:
            if review.fault is not None:
                row, refused = review.fault
                reason = f"{refused.message}; its review is left out"
                tally.refused.append(Refusal(row.file, row.place, refused.field, reason))
            elif review.items:
                for row in review.rows:
                    tally.of(row.file).rows += 1
                yield _made(review)


def _refuse_bare_counts(found: list[Review], tally: Tally) -> None:
    """Once a file, whatever the number of its reviews."""
    bare = Counter(review.first.file for review in found if not review.items and not review.fault)
    for file, number in bare.items():
        reason = (
            f"{number} reviews with counts and no items: send them together with the rows of "
            "their items"
        )
        tally.refused.append(Refusal(file, "", "item_id", reason))


def _made(review: Review) -> Made:
    def read(given: Given) -> tuple[str, Judged]:
        return "findings", findings.judged(review)

    return Made(
        file=review.first.file,
        place=review.first.place,
        subject=subject_of({}, spec=review.contestant, scenario=review.scenario),
        identity=ELSEWHERE,
        judge=review.judge,
        judged_at=None,
        said_at="",
        usage=Usage(),
        document=review.document,
        read=read,
    )
