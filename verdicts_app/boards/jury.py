"""Several judges of one thing, each with the mean of its repeats, and what they say together.

Judges count together that were asked in one job; where the job asked one alone, all that judged
the same subject in the same mode and rubric revision. At least half of them must be valid, else
the result is inconclusive.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from judgeweb.judging.repeats import is_enough, spread
from verdicts_app.boards.tried import Tried
from verdicts_app.boards.votes import Totals, Vote, majority_of, mean_by_label, totals_of, vote_of


@dataclass(frozen=True)
class JudgeRow:
    """One judge; it is valid where at least half of its repeats are. `verdict_id` is its first
    verdict, `judgement_id` its first judgement where it has none."""

    name: str
    effort: str
    epoch: str
    verdict_id: int | None
    judgement_id: int | None
    valid: int
    asked: int
    totals: Totals
    sd: float | None
    vote: Vote | None
    is_this: bool
    is_together: bool

    @property
    def is_valid(self) -> bool:
        return is_enough(self.valid, self.asked)


@dataclass(frozen=True)
class Jury:
    """`rows` begin with the judge shown. `is_of_job`: those that count together were asked in one
    job; others are listed beside them."""

    rows: tuple[JudgeRow, ...]
    is_of_job: bool

    @property
    def together(self) -> tuple[JudgeRow, ...]:
        return tuple(row for row in self.rows if row.is_together)

    @property
    def asked(self) -> int:
        return len(self.together)

    @property
    def valid(self) -> int:
        return sum(row.is_valid for row in self.together)

    @property
    def is_conclusive(self) -> bool:
        return is_enough(self.valid, self.asked)

    @property
    def totals(self) -> Totals:
        """The means over the valid judges; empty where fewer than half are."""
        valid = (row.totals for row in self.together if row.is_valid)
        return mean_by_label(valid) if self.is_conclusive else {}

    @property
    def vote(self) -> Vote | None:
        return majority_of([row.vote if row.is_valid else None for row in self.together])

    @property
    def has_votes(self) -> bool:
        return any(row.vote for row in self.rows)

    @property
    def labels(self) -> tuple[str, ...]:
        """Of those that have totals."""
        return tuple(dict.fromkeys(label for row in self.rows for label in row.totals))


def jury(own: Tried, tried: Iterable[Tried], job_id: Any) -> Jury | None:
    """None where nobody else judged or tried it."""
    newest = {one.epoch.family: one for one in sorted(tried, key=lambda one: one.newest)}
    newest[own.epoch.family] = own
    others = [one for one in newest.values() if one is not own]
    judges = [one for one in (own, *others) if one.asked]
    if len(judges) < 2:
        return None
    of_job = {one.epoch.pk for one in judges if one.is_in(job_id)}
    is_of_job = len(of_job) > 1
    return Jury(
        tuple(_row(one, own, not is_of_job or one.epoch.pk in of_job) for one in judges), is_of_job
    )


def _row(tried: Tried, own: Tried, is_together: bool) -> JudgeRow:
    verdicts = tried.valid
    totals = [totals_of(verdict) for verdict in verdicts]
    known = [total for one in totals for total in one.values() if total is not None]
    apart = spread(known)
    votes = [vote_of(verdict) for verdict in verdicts]
    return JudgeRow(
        name=tried.epoch.judge,
        effort=tried.epoch.effort,
        epoch=tried.epoch.short,
        verdict_id=verdicts[0].pk if verdicts else None,
        judgement_id=next((one.pk for one in tried.judgements.values()), None),
        valid=len(verdicts),
        asked=tried.asked,
        totals=mean_by_label(totals),
        sd=apart.sd if apart and all(len(one) == 1 for one in totals) else None,
        vote=majority_of([*votes, *(None for _ in tried.unjudged)]),
        is_this=tried is own,
        is_together=is_together,
    )
