"""The panels of a verdict's page: its repeats beside one another, and what other judges say."""

from dataclasses import dataclass

from django.db.models import prefetch_related_objects

from judgeweb.judging.repeats import is_enough
from verdicts_app.boards.jury import Jury, jury
from verdicts_app.boards.reasons import Reason, reason_in_words
from verdicts_app.boards.repeat_lines import (
    FigureLine,
    WordLine,
    item_lines,
    mark_lines,
    total_lines,
    vote_lines,
)
from verdicts_app.boards.repeat_words import counted_in_words
from verdicts_app.boards.tried import Tried, tried_on
from verdicts_app.models import Judgement, Verdict

PARTS = ("marks", "findings", "checks", "contestants")


@dataclass(frozen=True)
class RepeatColumn:
    """One repeat: a verdict, or a judgement that is unjudged for a reason or still open (None)."""

    number: int
    verdict_id: int | None
    judgement_id: int | None
    reason: Reason | None
    is_this: bool


@dataclass(frozen=True)
class Repeats:
    """`columns` are all repeats; the lines have a cell for each of the valid ones, in that order.
    `items` are those of the list, or the checks of a call."""

    columns: tuple[RepeatColumn, ...]
    totals: tuple[FigureLine, ...]
    votes: tuple[WordLine, ...]
    marks: tuple[FigureLine, ...]
    items: tuple[WordLine, ...]
    valid: int
    asked: int
    is_of_calls: bool
    counted: str

    @property
    def is_enough(self) -> bool:
        return is_enough(self.valid, self.asked)

    @property
    def judged(self) -> tuple[RepeatColumn, ...]:
        return tuple(column for column in self.columns if column.verdict_id is not None)

    @property
    def lost(self) -> tuple[RepeatColumn, ...]:
        return tuple(column for column in self.columns if column.verdict_id is None)

    @property
    def has_figures(self) -> bool:
        return bool(self.totals or self.marks)

    @property
    def width(self) -> int:
        """Columns of the table: the name, one per valid repeat, and what they come to."""
        return 1 + len(self.judged) + (3 if self.has_figures else 1)

    @property
    def flipped(self) -> tuple[WordLine, ...]:
        return tuple(line for line in self.items if line.is_flip)

    @property
    def shown_items(self) -> tuple[WordLine, ...]:
        """All three checks of a call; of a list only what flipped."""
        return self.items if self.is_of_calls else self.flipped


@dataclass(frozen=True)
class SeveralPanels:
    """`repeats` is None where there is one alone, `jury` where there is no other judge."""

    repeats: Repeats | None
    jury: Jury | None


def several(row: Verdict | Judgement) -> SeveralPanels:
    """Of a verdict, or of a judgement that has none."""
    tried = tried_on(row)
    own = next((one for one in tried if one.epoch.pk == row.epoch_id), None) or Tried(row.epoch)
    verdicts = [verdict for one in tried for verdict in one.valid]
    if len(tried) > 1 or len(own.repeats) > 1:
        prefetch_related_objects(verdicts, "contestants")
    job = row.judgement.job_id if isinstance(row, Verdict) and row.judgement else None
    return SeveralPanels(
        repeats=_repeats(own, row) if len(own.repeats) > 1 else None,
        jury=jury(own, tried, row.job_id if isinstance(row, Judgement) else job),
    )


def _repeats(tried: Tried, row: Verdict | Judgement) -> Repeats:
    verdicts = tried.valid
    prefetch_related_objects(list(verdicts), *PARTS)
    votes = vote_lines(verdicts, VOTES.get(row.epoch.mode, "Winner"))
    totals = total_lines(verdicts)
    return Repeats(
        columns=_columns(tried, row),
        totals=totals,
        votes=votes,
        marks=mark_lines(verdicts),
        items=item_lines(verdicts, row.epoch.mode),
        valid=len(verdicts),
        asked=tried.asked,
        is_of_calls=any(verdict.capture_id for verdict in verdicts),
        counted=counted_in_words(row, totals, votes, valid=len(verdicts), asked=tried.asked),
    )


VOTES = {"coherence": "Rating", "calls": "Verdict"}


def _columns(tried: Tried, row: Verdict | Judgement) -> tuple[RepeatColumn, ...]:
    columns = []
    for number in tried.repeats:
        verdict, judgement = tried.verdicts.get(number), tried.judgements.get(number)
        reason = judgement.unjudged_reason if judgement else ""
        columns.append(
            RepeatColumn(
                number=number,
                verdict_id=verdict.pk if verdict else None,
                judgement_id=judgement.pk if judgement else None,
                reason=reason_in_words(reason) if reason else None,
                is_this=row in (verdict, judgement),
            )
        )
    return tuple(columns)
