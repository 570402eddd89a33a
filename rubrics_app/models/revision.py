"""The one publish mechanism: an immutable snapshot document with its hash."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class RevisionKind(models.TextChoices):
    RUBRIC = "rubric"
    ANCHOR_SET = "anchor_set", "anchor set"
    SCENARIO = "scenario"
    GOLD = "gold", "gold standard"
    CONTRACT = "contract"
    TRIAL = "trial", "trial of a rubric"  # a draft as it stood: judged with, never published


class Revision(models.Model):
    """What judging reads. `key` names the draft it was published from, `number` counts from 1.

    `document` is the canonical JSON of a document class in `judgeweb.judging.documents`,
    `sha256` the hash of that text. Rows never change and never go: the database has triggers.
    """

    kind = models.CharField(max_length=20, choices=RevisionKind)
    key = models.CharField(max_length=200)
    number = models.PositiveIntegerField()
    document = models.TextField()
    sha256 = models.CharField(max_length=64)
    note = models.CharField(max_length=300, blank=True)
    published_at = models.DateTimeField(db_default=Now())
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering = ["kind", "key", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "key", "number"], name="a revision number is used once per key"
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="revision numbers count from one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key}, revision {self.number}"


class Draft(models.Model):
    """What authors edit. `version` rises with every save of any part; a form posts the version
    it was opened with, so that two authors cannot overwrite one another."""

    key = models.CharField(max_length=200, unique=True)
    version = models.PositiveIntegerField(default=1, editable=False)
    is_archived = models.BooleanField("archived", default=False)
    updated_at = models.DateTimeField(auto_now=True)
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, editable=False, related_name="+"
    )

    kind: RevisionKind

    class Meta:
        abstract = True
        ordering = ["key"]

    def __str__(self) -> str:
        return self.key

    def revisions(self) -> models.QuerySet[Revision]:
        return Revision.objects.filter(kind=self.kind, key=self.key).order_by("-number")

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Refuse where anything was published: archive it instead."""
        if self.revisions().exists():
            raise models.ProtectedError(
                f"{self.key!r} was published and can be archived, not deleted",
                set(self.revisions()),
            )
        return super().delete(*args, **kwargs)
