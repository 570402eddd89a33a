"""How far a judge is off the people who graded the gold standards.

A judge judges the answer of a gold standard blind, several times. Deviation = mean total - gold
score, in points from -99 to 99, 0 best; outside of +-TOLERANCE the judge is marked on every board
that it judges.

A calibration is what was asked for together: the repeats of one job on one gold standard. It
counts where at least half of them are valid. The newest that counts says how the judge stands,
for the gold standard as it is published now; older ones are its history.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from rubrics_app.models import Revision, RevisionKind
from rubrics_app.selectors import gold_document, newest_revisions
from verdicts_app.boards.epochs import EpochOnBoard
from verdicts_app.boards.sentences import ways_in_words
from verdicts_app.models import Epoch, Judgement, Verdict

TOLERANCE = 5


@dataclass(frozen=True)
class Calibration:
    """One judge on one gold standard. `totals` and `verdicts` (ids) are those of the valid
    repeats, in their order; `asked` counts all."""

    epoch: Epoch
    gold: Revision
    gold_score: Fraction
    graded_by: str
    job_id: UUID
    asked: int
    verdicts: tuple[int, ...]
    totals: tuple[Fraction, ...]
    judged_at: datetime

    @property
    def scenario(self) -> str:
        return self.gold.key

    @property
    def judge(self) -> str:
        return self.epoch.returned_model or self.epoch.requested_model

    @property
    def ways(self) -> str:
        """What makes the epoch another instrument of the same judge, in words."""
        return ways_in_words(self.epoch.parameters)

    @property
    def mean(self) -> Fraction:
        return sum(self.totals, Fraction(0)) / len(self.totals)

    @property
    def spread(self) -> Fraction:
        """The distance of the highest from the lowest total."""
        return max(self.totals) - min(self.totals)

    @property
    def deviation(self) -> Fraction:
        return self.mean - self.gold_score

    @property
    def deviations(self) -> tuple[Fraction, ...]:
        """Those of the repeats."""
        return tuple(total - self.gold_score for total in self.totals)

    @property
    def repeats(self) -> list[tuple[int, Fraction]]:
        """Id and total of each verdict."""
        return list(zip(self.verdicts, self.totals, strict=True))

    @property
    def is_within(self) -> bool:
        return abs(self.deviation) <= TOLERANCE

    @property
    def counts(self) -> bool:
        return 2 * len(self.totals) >= self.asked


def calibrations(narrow: Q | None = None, *, scenario: str = "") -> tuple[Calibration, ...]:
    """How each judge (epoch) stands now, narrowed by a condition on verdicts; the judge calibrated
    last first, its scenarios by name."""
    newest = newest_revisions(RevisionKind.GOLD)
    if scenario:
        newest = newest.filter(key=scenario)
    # That they are not null finds the partial index, where a join alone would not.
    live = Verdict.objects.filter(
        narrow or Q(),
        gold_answer__isnull=False,
        gold_answer__in=newest.values("pk"),
        superseded_at=None,
    )
    places = set(live.order_by().values_list("judgement__job", "gold_answer"))
    golds = {gold for _, gold in places}
    asked = Judgement.objects.filter(job__in={job for job, _ in places}, gold_answer__in=golds)
    stands: dict[tuple[int, str], Calibration] = {}
    for one in _grouped(Verdict.objects.filter(narrow or Q(), judgement__in=asked.values("pk"))):
        if one.counts:
            stands[one.epoch.pk, one.scenario] = one
    return tuple(sorted(stands.values(), key=lambda one: (-one.epoch.pk, one.scenario)))


def calibration_history(scenario: str) -> tuple[Calibration, ...]:
    """All that there ever were on the gold standards of a scenario, oldest first; those that do
    not count as well."""
    golds = Revision.objects.filter(kind=RevisionKind.GOLD, key=scenario)
    ids = list(golds.values_list("pk", flat=True))
    return tuple(_grouped(Verdict.objects.filter(gold_answer__isnull=False, gold_answer__in=ids)))


class _Repeat(NamedTuple):
    """One verdict on a gold answer."""

    pk: int
    job: UUID
    epoch: int
    gold: int
    total: str
    judged_at: datetime


COLUMNS = ("pk", "judgement__job", "epoch_id", "gold_answer_id", "total_exact", "judged_at")


def _grouped(verdicts: QuerySet[Verdict]) -> list[Calibration]:
    """In the order in which they were judged."""
    rows = verdicts.exclude(total_exact="").order_by("repeat", "id").values_list(*COLUMNS)
    groups: dict[tuple[UUID, int, int], list[_Repeat]] = defaultdict(list)
    for row in map(_Repeat._make, rows):
        groups[row.job, row.epoch, row.gold].append(row)
    if not groups:
        return []
    epochs = Epoch.objects.select_related("rubric_revision").in_bulk({pk for _, pk, _ in groups})
    golds = Revision.objects.in_bulk({pk for _, _, pk in groups})
    asked = _asked({job for job, _, _ in groups}, golds)
    found = [
        _calibration(repeats, epochs[epoch], golds[gold], asked)
        for (_, epoch, gold), repeats in groups.items()
    ]
    return sorted(found, key=lambda one: (one.judged_at, max(one.verdicts)))


Asked = Mapping[tuple[UUID, int | None, str], int]
"""(job, gold standard, base of the epoch) -> how often it was asked for."""


def _asked(jobs: Iterable[UUID], golds: Iterable[int]) -> Asked:
    rows = (
        Judgement.objects.filter(job__in=jobs, gold_answer__in=golds)
        .order_by()
        .values_list("job", "gold_answer", "epoch__base_digest")
        .annotate(Count("pk"))
    )
    return {(job, gold, base): number for job, gold, base, number in rows}


def _calibration(repeats: list[_Repeat], epoch: Epoch, gold: Revision, asked: Asked) -> Calibration:
    document = gold_document(gold)
    job = repeats[0].job
    return Calibration(
        epoch=epoch,
        gold=gold,
        gold_score=Fraction(document.score),
        graded_by=document.graded_by,
        job_id=job,
        asked=asked[job, gold.pk, epoch.base_digest],
        verdicts=tuple(repeat.pk for repeat in repeats),
        totals=tuple(Fraction(repeat.total) for repeat in repeats),
        judged_at=max(repeat.judged_at for repeat in repeats),
    )


# --- who is marked ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judge:
    """Who gave the verdicts of a board or page, by the name it answers under. `epoch_id` is the
    epoch looked at."""

    name: str
    origin: str
    epoch_id: int

    @classmethod
    def of(cls, epoch: Epoch) -> "Judge":
        return cls(epoch.returned_model or epoch.requested_model, epoch.origin, epoch.pk)


def board_off(*epochs: EpochOnBoard | None) -> tuple[Calibration, ...]:
    """As `judge_off`, of the epochs that a board shows."""
    return judge_off(*(Judge(one.judge, one.origin, one.id) for one in epochs if one))


def judge_off(*judges: Judge) -> tuple[Calibration, ...]:
    """Where any of these judges is outside of the tolerance now, in whatever mode; the farthest
    first. Of a judge the newest calibration on a gold standard counts, and that of the epoch
    looked at."""
    named = [judge for judge in judges if judge.name]
    if not named:
        return ()
    found = calibrations(_of_judges(named))
    newest: dict[tuple[str, str, str], Calibration] = {}
    for one in sorted(found, key=lambda one: one.judged_at):
        newest[one.judge, one.epoch.origin, one.scenario] = one
    own = {judge.epoch_id for judge in named}
    shown = {*newest.values(), *(one for one in found if one.epoch.pk in own)}
    return outside(shown)


def _of_judges(judges: Iterable[Judge]) -> Q:
    narrow = Q(pk__in=[])
    for name, origin in {(judge.name, judge.origin) for judge in judges}:
        answers_as = Q(epoch__returned_model=name)
        answers_as |= Q(epoch__returned_model="", epoch__requested_model=name)
        narrow |= answers_as & Q(epoch__origin=origin)
    return narrow


def outside(found: Iterable[Calibration]) -> tuple[Calibration, ...]:
    """Those beyond the tolerance, the farthest first."""
    off = [one for one in found if not one.is_within]
    return tuple(sorted(off, key=lambda one: (-abs(one.deviation), one.scenario)))


def off_as_data(off: Iterable[Calibration]) -> list[dict[str, str | float]]:
    """What the data of a board says of a judge that is outside; empty where it is not."""
    return [
        {
            "judge": one.judge,
            "scenario": one.scenario,
            "gold_score": float(one.gold_score),
            "mean": float(one.mean),
            "deviation": float(one.deviation),
            "tolerance": TOLERANCE,
        }
        for one in off
    ]
