"""Scenarios: the task, its code and its checklists. A scenario is a cell of a board."""

from django.db import models

from rubrics_app.models.revision import Draft, RevisionKind


class Scenario(Draft):
    """`key` is the file's `name`. `is_inline` marks tasks that came with a judgement request."""

    kind = RevisionKind.SCENARIO

    title = models.CharField(max_length=300, blank=True)
    category = models.CharField(max_length=100, blank=True)
    difficulty = models.CharField(max_length=100, blank=True)
    version_label = models.CharField("version", max_length=50, blank=True)
    family = models.CharField(
        "mode", max_length=40, blank=True, help_text="Empty: decided by the checklists"
    )
    challenge = models.TextField()
    context = models.TextField(blank=True)
    extras = models.TextField(blank=True, help_text="Every other key of the imported file, as JSON")
    is_inline = models.BooleanField(default=False, editable=False)
    is_sample = models.BooleanField(default=False, editable=False)


class ScenarioFile(models.Model):
    scenario = models.ForeignKey(Scenario, models.CASCADE, related_name="files")
    position = models.PositiveSmallIntegerField(default=0)
    role = models.CharField(
        max_length=10, choices=[(r, r) for r in ("code", "tests", "stub")], default="code"
    )
    language = models.CharField(max_length=40, blank=True)
    filename = models.CharField(max_length=300, blank=True)
    content = models.TextField()

    class Meta:
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return self.filename or self.role


class ItemList(models.TextChoices):
    BASELINE_ISSUES = "baseline_issues", "baseline issue"
    BASELINE_CRITERIA = "baseline_criteria", "baseline behaviour"
    BONUS_ISSUES = "bonus_issues", "bonus issue"
    BONUS_CRITERIA = "bonus_criteria", "bonus behaviour"


class ChecklistEntry(models.Model):
    """`category` is a severity or any list name; `details` a JSON list of [key, text] pairs."""

    scenario = models.ForeignKey(Scenario, models.CASCADE, related_name="items")
    position = models.PositiveIntegerField(default=0)
    list_name = models.CharField("list", max_length=20, choices=ItemList)
    item_id = models.CharField("id", max_length=200)
    category = models.CharField(max_length=100)
    description = models.TextField()
    details = models.TextField(blank=True)

    class Meta:
        ordering = ["position", "id"]
        verbose_name_plural = "checklist entries"
        constraints = [
            models.UniqueConstraint(
                fields=["scenario", "list_name", "item_id"],
                name="an item id stands once in a list of a scenario",
            ),
        ]

    def __str__(self) -> str:
        return self.item_id
