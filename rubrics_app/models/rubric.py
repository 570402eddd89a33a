"""Rubrics: weighted dimensions, each with the marks the judge gives in it."""

from django.db import models

from rubrics_app.models.anchors import AnchorSet
from rubrics_app.models.revision import Draft, RevisionKind


class Rubric(Draft):
    """`mode` is a key of the core's mode registry. The rubric whose key equals its mode is that
    mode's default."""

    kind = RevisionKind.RUBRIC

    name = models.CharField(max_length=200)
    mode = models.CharField(max_length=40)
    description = models.TextField(blank=True)
    whole_numbers = models.BooleanField(default=False, help_text="Refuse marks like 7.5")


class Dimension(models.Model):
    """Without marks a dimension is computed from findings (detection, execution)."""

    rubric = models.ForeignKey(Rubric, models.CASCADE, related_name="dimensions")
    position = models.PositiveSmallIntegerField(default=0)
    key = models.SlugField(max_length=60)
    label = models.CharField(max_length=100)
    weight = models.DecimalField(max_digits=7, decimal_places=4, help_text="Percent")
    criteria = models.TextField(blank=True)
    anchor_set = models.ForeignKey(
        AnchorSet, models.PROTECT, null=True, blank=True, related_name="dimensions"
    )

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["rubric", "key"], name="a rubric has a dimension once"),
        ]

    def __str__(self) -> str:
        return self.label


class DimensionMark(models.Model):
    """One 1-10 mark. A dimension's marks share its weight equally."""

    dimension = models.ForeignKey(Dimension, models.CASCADE, related_name="marks")
    position = models.PositiveSmallIntegerField(default=0)
    key = models.SlugField(max_length=60)
    label = models.CharField(max_length=100)
    criteria = models.TextField(blank=True)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["dimension", "key"], name="a dimension has a mark once"
            ),
        ]

    def __str__(self) -> str:
        return self.label
