"""Anchor sets: five bands that say what a mark looks like."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from rubrics_app.models.revision import Draft, RevisionKind

MARK = [MinValueValidator(1), MaxValueValidator(10)]


class AnchorSet(Draft):
    kind = RevisionKind.ANCHOR_SET

    source = models.CharField(max_length=200, blank=True, help_text="Where the texts come from")


class AnchorBand(models.Model):
    anchor_set = models.ForeignKey(AnchorSet, models.CASCADE, related_name="bands")
    low = models.PositiveSmallIntegerField(validators=MARK)
    high = models.PositiveSmallIntegerField(validators=MARK)
    text = models.TextField()

    class Meta:
        ordering = ["low"]
        constraints = [
            models.UniqueConstraint(
                fields=["anchor_set", "low"], name="a band of an anchor set starts once"
            ),
            models.CheckConstraint(
                condition=models.Q(low__lte=models.F("high")), name="a band runs upwards"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"
