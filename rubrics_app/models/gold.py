"""Gold standards: an expert's answer with the score a person gave it."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from rubrics_app.models.revision import Draft, RevisionKind
from rubrics_app.models.scenario import Scenario


class GoldStandard(Draft):
    """At most one per scenario; `key` is the scenario's key."""

    kind = RevisionKind.GOLD

    scenario = models.OneToOneField(Scenario, models.PROTECT, related_name="gold_standard")
    response = models.TextField()
    score = models.DecimalField(
        max_digits=7, decimal_places=4, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    graded_by = models.CharField(max_length=100, help_text="A person's name")
    notes = models.TextField(blank=True)
    show_score = models.BooleanField(
        default=True, help_text="Off: the judge sees the text, not the number (anchoring)"
    )
