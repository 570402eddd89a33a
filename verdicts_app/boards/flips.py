"""How often the repeats of a job disagree: items of a list, or checks of captured calls, whose mark
is not the same in all valid repeats of one judge."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from verdicts_app.boards.repeat_lines import LISTED
from verdicts_app.models import Job, Verdict, VerdictCheck, VerdictFinding

LOOKED_AT_MOST = 2_000
"""Verdicts: each has dozens of findings, and a page waits for them."""


@dataclass(frozen=True)
class Flips:
    """`items` were marked by two valid repeats or more, `flipped` of them not always the same."""

    items: int
    flipped: int

    @property
    def share(self) -> Fraction:
        return Fraction(self.flipped, self.items)


def flips_of(job: Job, *, judged: int) -> Flips | None:
    """`judged` is how many of its judgements have a verdict. None while it is open, where nothing
    was repeated, and where it is too large to look at. Three queries."""
    if job.finished_at is None or not 1 < judged <= LOOKED_AT_MOST:
        return None
    counts = Verdict.objects.filter(judgement__job=job, superseded_at=None).aggregate(
        repeated=Count("pk", filter=Q(repeat__gt=1)),
        calls=Count("pk", filter=Q(capture__isnull=False)),
    )
    if not counts["repeated"]:
        return None
    found = _of_findings(job)
    checked = _of_checks(job) if counts["calls"] else Flips(0, 0)
    items = found.items + checked.items
    return Flips(items, found.flipped + checked.flipped) if items else None


def _of_findings(job: Job) -> Flips:
    rows = VerdictFinding.objects.filter(_of(job), kind__in=LISTED)
    subject = ("verdict__response", "verdict__pair", "verdict__gold_answer")
    return _counted(rows.values(*subject, *PLACE, "item_id"), yes=Q(found=True))


def _of_checks(job: Job) -> Flips:
    rows = VerdictCheck.objects.filter(_of(job))
    return _counted(
        rows.values("verdict__capture", "verdict__epoch", "key"), yes=Q(ok=True), no=Q(ok=False)
    )


PLACE = ("verdict__epoch", "contestant", "order")


def _of(job: Job) -> Q:
    return Q(verdict__judgement__job=job, verdict__superseded_at=None)


def _counted(rows: QuerySet[Any, Any], *, yes: Q, no: Q | None = None) -> Flips:
    """Of the groups with two marks or more. Without `no` it is all that is not `yes`."""
    marks = rows.order_by().annotate(
        marks=Count("pk"),
        yes=Count("pk", filter=yes),
        no=Count("pk", filter=no if no is not None else ~yes),
    )
    same = Q(yes=F("marks")) | Q(no=F("marks")) | Q(yes=0, no=0)
    repeated = Q(marks__gt=1)
    found = marks.aggregate(
        items=Count("marks", filter=repeated),
        flipped=Count("marks", filter=repeated & ~same),
    )
    return Flips(found["items"], found["flipped"])
