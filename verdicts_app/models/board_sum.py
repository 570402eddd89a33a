"""What boards add up, so that a board reads as many rows as it shows and not every verdict."""

from django.db import models
from django.db.models import Q

from rubrics_app.models import Scenario
from verdicts_app.models.persona import Persona
from verdicts_app.models.work import Epoch

UNIT = 60
"""Sums count in 1/60 of 1e-9 points: every number of repeats, 1 to 5, divides it."""


class Span(models.TextChoices):
    """A bucket of time that starts at a local midnight of the installation's zone."""

    ALL = "all"
    MONTH = "month"
    WEEK = "week"  # from Monday
    DAY = "day"


class BoardSum(models.Model):
    """The runs of one persona on one scenario in one epoch and bucket, by answering model.

    A run is a response with verdicts on the board; its total is the mean over its repeats.
    `total` and `without_persona` are sums over runs in 1/60 of 1e-9 points (1.5 million runs fit).
    `spread` sums the standard deviations within `repeated_runs`, each rounded down to 1e-9 points.
    `empty_runs` of the runs answered nothing and count with a total of 0.
    Written by `work.board_sums` in the transaction of the verdicts, with additions alone.
    """

    epoch = models.ForeignKey(Epoch, models.PROTECT, related_name="+", db_index=False)
    span = models.CharField(max_length=5, choices=Span)
    start = models.DateField(help_text="The bucket's first day; of all: 0001-01-01")
    persona = models.ForeignKey(Persona, models.PROTECT, related_name="+", db_index=False)
    scenario = models.ForeignKey(Scenario, models.PROTECT, related_name="+", db_index=False)
    model = models.CharField(max_length=200, blank=True)
    runs = models.BigIntegerField()
    total = models.BigIntegerField()
    bare_runs = models.BigIntegerField(help_text="Runs that have a total without persona")
    without_persona = models.BigIntegerField()
    verdicts = models.BigIntegerField()
    costed = models.BigIntegerField(help_text="Verdicts whose cost is known")
    cost_nano_usd = models.BigIntegerField()
    repeated_runs = models.BigIntegerField(
        db_default=0, help_text="Runs with two valid repeats or more"
    )
    spread = models.BigIntegerField(db_default=0)
    empty_runs = models.BigIntegerField(db_default=0, help_text="Runs flagged as an empty answer")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["epoch", "span", "start", "persona", "scenario", "model"],
                name="a board adds up a cell once per bucket",
            ),
            models.CheckConstraint(
                condition=Q(bare_runs__gte=0, runs__gte=models.F("bare_runs"))
                & Q(costed__gte=0, verdicts__gte=models.F("costed"))
                & Q(verdicts__gte=models.F("runs")),
                name="a cell of a board has a verdict for each run",
            ),
            models.CheckConstraint(
                condition=Q(repeated_runs__gte=0, runs__gte=models.F("repeated_runs"))
                & (Q(spread=0) | Q(spread__gt=0, repeated_runs__gt=0)),
                name="only repeated runs of a cell have a spread",
            ),
            models.CheckConstraint(
                condition=Q(empty_runs__gte=0, runs__gte=models.F("empty_runs")),
                name="a cell has no more empty runs than runs",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.span} {self.start}: {self.runs} runs"
