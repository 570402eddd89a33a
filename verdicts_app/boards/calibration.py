"""How far a judge is off the people who graded the gold standards.

A judge judges the answer of a gold standard blind, several times. Deviation = mean total - gold
score, in points from -99 to 99, 0 best; outside of +-TOLERANCE the judge is marked on every board
of that epoch. A calibration counts for the gold standard as it is published now, and where at least
half of its repeats are valid.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from django.db.models import Q

from judgeweb.judging.repeats import is_enough
from rubrics_app.models import Revision, RevisionKind
from rubrics_app.selectors import gold_document, newest_revisions
from verdicts_app.boards.lost_repeats import lost_repeats
from verdicts_app.models import Epoch, Verdict

TOLERANCE = 5


@dataclass(frozen=True)
class Calibration:
    """One judge on one gold standard. `totals` are those of the repeats, in their order."""

    epoch: Epoch
    gold: Revision
    gold_score: Fraction
    graded_by: str
    totals: tuple[Fraction, ...]
    judged_at: datetime

    @property
    def scenario(self) -> str:
        return self.gold.key

    @property
    def judge(self) -> str:
        return self.epoch.returned_model or self.epoch.requested_model

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
    def is_within(self) -> bool:
        return abs(self.deviation) <= TOLERANCE


def calibrations(epoch_id: int | None = None, *, scenario: str = "") -> tuple[Calibration, ...]:
    """Of one epoch, or of all; the judge calibrated last first, its scenarios by name."""
    narrow = Q(epoch=epoch_id) if epoch_id is not None else Q()
    newest = newest_revisions(RevisionKind.GOLD)
    if scenario:
        newest = newest.filter(key=scenario)
    verdicts = (
        # That they are not null finds the partial index, where a join alone would not.
        Verdict.objects.filter(
            narrow,
            gold_answer__isnull=False,
            gold_answer__in=newest.values("pk"),
            superseded_at=None,
        )
        .exclude(total_exact="")
        .select_related("epoch__rubric_revision", "gold_answer")
        .defer("detail")
        .order_by("epoch_id", "gold_answer__key", "repeat", "id")
    )
    groups: dict[tuple[int, int], dict[int, Verdict]] = defaultdict(dict)
    for verdict in verdicts:
        assert verdict.gold_answer_id is not None
        # The newest of a repeat.
        groups[verdict.gold_answer_id, verdict.epoch_id][verdict.repeat] = verdict
    lost = lost_repeats(gold_answer={gold for gold, _ in groups})
    found = [
        _calibration(list(group.values()))
        for key, group in groups.items()
        if is_enough(len(group), len(group) + lost.beside(key, group))
    ]
    return tuple(sorted(found, key=lambda one: (-one.epoch.pk, one.scenario)))


def outside_of(judge: str, origin: str) -> tuple[Calibration, ...]:
    """Where this judge is outside of the tolerance now, in whatever mode."""
    found = calibrations()
    return outside(one for one in found if (one.judge, one.epoch.origin) == (judge, origin))


def outside(found: Iterable[Calibration]) -> tuple[Calibration, ...]:
    """Those beyond the tolerance, the farthest first."""
    off = [one for one in found if not one.is_within]
    return tuple(sorted(off, key=lambda one: -abs(one.deviation)))


def _calibration(verdicts: list[Verdict]) -> Calibration:
    gold = verdicts[0].gold_answer
    assert gold is not None
    document = gold_document(gold)
    return Calibration(
        epoch=verdicts[0].epoch,
        gold=gold,
        gold_score=Fraction(document.score),
        graded_by=document.graded_by,
        totals=tuple(Fraction(verdict.total_exact) for verdict in verdicts),
        judged_at=max(verdict.judged_at for verdict in verdicts),
    )
