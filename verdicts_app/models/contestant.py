"""What the contestants of a comparison reached: immutable rows beside its verdict."""

from django.db import models
from django.db.models import Q

from verdicts_app.models.persona import Persona
from verdicts_app.models.run import Response
from verdicts_app.models.verdict import Verdict


class ContestantOutcome(models.TextChoices):
    WON = "won"
    LOST = "lost"
    TIED = "tied"
    INCONSISTENT = "inconsistent"


class VerdictContestant(models.Model):
    """What one of two contestants reached in a comparison.

    `label` names it in results: its spec, or `spec#1`, `spec#2` where both have the same.
    `total_exact` and `total_nano` as in a verdict: the mean over the orders judged, whose totals
    are in `order_totals`, a JSON list of fractions "p/q" (empty where only the outcome is known).
    """

    verdict = models.ForeignKey(Verdict, models.PROTECT, related_name="contestants")
    position = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=210)
    response = models.ForeignKey(Response, models.PROTECT, related_name="contests")
    persona = models.ForeignKey(Persona, models.PROTECT, related_name="contests")
    total_nano = models.BigIntegerField(null=True)
    total_exact = models.CharField(max_length=200, blank=True)
    without_persona_nano = models.BigIntegerField(null=True)
    without_persona_exact = models.CharField(max_length=200, blank=True)
    order_totals = models.TextField(default="[]")
    outcome = models.CharField(max_length=12, choices=ContestantOutcome)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["verdict", "position"], name="a comparison has one contestant a place"
            ),
            models.CheckConstraint(
                condition=Q(position__in=[1, 2]), name="a contestant is the first or the second"
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=ContestantOutcome.values),
                name="a contestant won lost tied or was judged inconsistently",
            ),
            models.CheckConstraint(
                condition=Q(total_nano__isnull=True, total_exact="")
                | (Q(total_nano__gte=0) & ~Q(total_exact="")),
                name="a contestant has its total exactly and scaled or not at all",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.label} {self.outcome}"
