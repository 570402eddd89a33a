"""The rows of an upload's tables, gathered from all its files, and the verdicts that they make."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from verdicts_app.intake import rows
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.files import Piece
from verdicts_app.intake.judged.types import Given, Judged
from verdicts_app.intake.made import ELSEWHERE, Made
from verdicts_app.intake.receipts import Refusal, Tally
from verdicts_app.intake.rows import findings, preferences
from verdicts_app.intake.rows.findings import Review
from verdicts_app.intake.rows.preferences import Duel
from verdicts_app.intake.rows.types import Row
from verdicts_app.intake.shapes import subject_of


@dataclass
class Table:
    """`judge` and `opponent` are for rows that name none."""

    judge: str = ""
    opponent: str = ""
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
        """The verdicts of the rows; what has a faulty row is refused as a whole."""
        reviews = findings.reviews(self._rows["findings"], self._rows["counts"], judge=self.judge)
        _refuse_bare_counts(reviews, tally)
        duels = preferences.duels(
            self._rows["preferences"], judge=self.judge, opponent=self.opponent
        )
        _refuse_faulty([*reviews, *duels], tally)
        for review in reviews:
            if review.fault is None and review.items:
                _count(review.rows, tally)
                yield _of_review(review)
        for duel in duels:
            if duel.fault is None:
                _count(duel.rows, tally)
                yield _of_duel(duel)


def _count(used: Sequence[Row], tally: Tally) -> None:
    for row in used:
        tally.of(row.file).rows += 1


def _refuse_faulty(found: Sequence[Review | Duel], tally: Tally) -> None:
    """One line for each fault; faults that are word for word the same in a file are counted."""
    faults: dict[tuple[str, str, str], list[tuple[Row, FieldRefused]]] = defaultdict(list)
    for one in found:
        if one.fault is not None:
            row, refused = one.fault
            faults[row.file, refused.field, refused.message].append(one.fault)
    for (file, name, message), alike in faults.items():
        more = f" (and so in {len(alike) - 1} more)" if len(alike) > 1 else ""
        reason = f"{message}; what the row belongs to is left out{more}"
        tally.refused.append(Refusal(file, alike[0][0].place, name, reason))


def _refuse_bare_counts(reviews: Sequence[Review], tally: Tally) -> None:
    """Once a file, whatever the number of its reviews."""
    bare = Counter(one.first.file for one in reviews if not one.items and not one.fault)
    for file, number in bare.items():
        reason = (
            f"{number} reviews with counts and no items: send them together with the rows of "
            "their items"
        )
        tally.refused.append(Refusal(file, "", "item_id", reason))


def _of_review(review: Review) -> Made:
    def read(given: Given) -> tuple[str, Judged]:
        return "findings", findings.judged(review, given)

    return Made(
        file=review.rows[0].file,
        place=review.rows[0].place,
        subject=subject_of({}, spec=review.contestant, scenario=review.scenario),
        identity=ELSEWHERE,
        judge=review.judge,
        document=review.document,
        read=read,
    )


def _of_duel(duel: Duel) -> Made:
    def read(given: Given) -> tuple[str, Judged]:
        return "preferences", preferences.judged(duel)

    first = duel.ordered[0]
    return Made(
        file=duel.rows[0].file,
        place=duel.rows[0].place,
        subject=subject_of({}, spec=first.first, scenario=duel.item),
        second=subject_of({}, spec=first.second, scenario=duel.item),
        identity=ELSEWHERE,
        judge=duel.judge,
        document=duel.document,
        read=read,
    )
