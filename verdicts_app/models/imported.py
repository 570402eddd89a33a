"""What a verdict made elsewhere was read from."""

from django.db import models
from django.db.models import Q

from verdicts_app.models.verdict import Verdict


class ImportedDocument(models.Model):
    """The document behind an imported verdict, as it came: ASCII JSON with exact numbers.

    `shape` names the reader, `file` and `place` where it stood. `sha256` is of `document`: the
    same id with another one is no duplicate.
    """

    verdict = models.OneToOneField(Verdict, models.PROTECT, related_name="imported")
    shape = models.CharField(max_length=40)
    file = models.CharField(max_length=200, blank=True)
    place = models.CharField(max_length=40, blank=True)
    sha256 = models.CharField(max_length=64)
    document = models.TextField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(document="") & ~Q(shape=""),
                name="an imported verdict keeps its document and the name of its shape",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shape} of verdict {self.verdict_id}"
