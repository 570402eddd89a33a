"""Answers that are judged together: a pair, and the four of a relay."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from rubrics_app.models import Scenario
from verdicts_app.models.run import Response, Run

PHASES = ("sm", "tea", "dev", "reviewer")
"""The phases of a relay, in their order: the fields of a chain, the roles of their answers."""


class Pair(models.Model):
    """Two answers to one scenario, compared. `first` is shown first in the first order."""

    first = models.ForeignKey(Response, models.PROTECT, related_name="+")
    second = models.ForeignKey(Response, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="a pair is stored once"),
            models.CheckConstraint(
                condition=~Q(first=F("second")), name="an answer is not compared with itself"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id}"


class Chain(models.Model):
    """One team's relay: the answers of its four phases. `scenario` is null where they answer
    more than one."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="chains")
    theme = models.CharField(max_length=200)
    scenario = models.ForeignKey(Scenario, models.PROTECT, null=True, related_name="chains")
    sm = models.ForeignKey(Response, models.PROTECT, related_name="+")
    tea = models.ForeignKey(Response, models.PROTECT, related_name="+")
    dev = models.ForeignKey(Response, models.PROTECT, related_name="+")
    reviewer = models.ForeignKey(Response, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["sm", "tea", "dev", "reviewer"], name="a relay is stored once"
            ),
            models.CheckConstraint(condition=~Q(theme=""), name="a relay names its theme"),
        ]

    def __str__(self) -> str:
        return f"relay of {self.theme}"

    @property
    def responses(self) -> tuple[Response, ...]:
        """In the order of PHASES."""
        return (self.sm, self.tea, self.dev, self.reviewer)

    @property
    def response_ids(self) -> tuple[int, ...]:
        """In the order of PHASES."""
        return (self.sm_id, self.tea_id, self.dev_id, self.reviewer_id)
