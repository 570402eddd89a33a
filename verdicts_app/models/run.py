"""Runs and what was uploaded into them."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from rubrics_app.models import Scenario
from verdicts_app.models.persona import Persona

PLAYGROUND_RUN = "~playground"
"""Holds what was pasted into the playground. No upload may use the name; no list shows it."""


class Run(models.Model):
    """A named container; `run_id` is the id in the URL."""

    run_id = models.CharField(max_length=200, unique=True)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    is_sample = models.BooleanField(default=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.run_id


class ResponseOutcome(models.TextChoices):
    ANSWERED = "answered"  # the agent's run succeeded; its text may still be empty
    FAILED = "failed"  # the agent's run failed: outside every mean, counted apart
    ABSENT = "absent"  # judged elsewhere, and its text is not here: nothing to judge


class ResponseFlag(models.TextChoices):
    """Things to know about an answer. None of them changes a verdict."""

    SEVERAL_TURNS = "several_turns", "the agent took more than one turn"
    NAIVE_TIME = "naive_time", "its time named no zone: read in the installation's"
    SAME_TEXT = "same_text", "another run holds the very same text"
    ESCAPED_TEXT = "escaped_text", "NUL or lone surrogates are shown as visible escapes"


class Response(models.Model):
    """An agent's answer to a scenario.

    `identity` is the file's own id of the answer (`source_id`) or the hash of its content.
    `text` is safe everywhere: NUL and lone surrogates stand in it as visible escapes; where that
    changed anything, `text_json` holds the lossless text as an ASCII JSON string.
    `document` is the rest of the upload as ASCII JSON. `scenario` is null while no scenario of
    the name `scenario_key` is known (unlinked).
    One that is `absent` stands for the answer that an imported verdict is about; it becomes the
    answer itself where that is uploaded under the same id.
    `answered_at` is the answer's own time, or its upload's where the file has none.
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="responses")
    persona = models.ForeignKey(Persona, models.PROTECT, related_name="responses")
    scenario = models.ForeignKey(Scenario, models.PROTECT, null=True, related_name="responses")
    scenario_key = models.CharField(max_length=200)
    source_id = models.CharField(max_length=200, blank=True)
    identity = models.CharField(max_length=200)
    content_sha256 = models.CharField(max_length=64, db_index=True)
    outcome = models.CharField(max_length=10, choices=ResponseOutcome)
    failure = models.CharField(max_length=300, blank=True)
    text = models.TextField(blank=True)
    text_json = models.TextField(blank=True)
    document = models.TextField(blank=True)
    flags = models.CharField(max_length=200, blank=True, help_text="Comma-separated")
    character = models.CharField(max_length=300, blank=True)
    model = models.CharField(max_length=200, blank=True, db_index=True)
    answered_at = models.DateTimeField()
    answered_at_is_upload = models.BooleanField(default=False)
    uploaded_at = models.DateTimeField(db_default=Now())
    turns = models.PositiveIntegerField(null=True)
    duration_ms = models.PositiveBigIntegerField(null=True)
    input_tokens = models.PositiveBigIntegerField(null=True)
    cache_write_tokens = models.PositiveBigIntegerField(null=True)
    cache_read_tokens = models.PositiveBigIntegerField(null=True)
    output_tokens = models.PositiveBigIntegerField(null=True)
    cost_nano_usd = models.BigIntegerField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "persona", "scenario_key", "identity"],
                name="a response is stored once per run persona and scenario",
            ),
            models.CheckConstraint(
                condition=models.Q(outcome="answered") | models.Q(text=""),
                name="a failed response carries no answer",
            ),
        ]
        indexes = [
            models.Index(fields=["outcome", "persona", "scenario"], name="response_outcome"),
            # What the list of runs counts.
            models.Index(
                fields=["run", "outcome", "scenario", "uploaded_at"], name="response_counts"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.persona_id} on {self.scenario_key}"
