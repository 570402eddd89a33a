"""Captured model calls, as a producer wrote them down (seed B)."""

import json

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from verdicts_app.models.run import Run

JUDGING_TYPES = ("judge", "patch_generator")
"""Captures of these call types judge or mend other captures: they are judged only where named."""


class SystemPromptText(models.Model):
    """A captured system prompt, stored once by the SHA-256 of its UTF-8 bytes (lone surrogates
    encoded as "surrogatepass" does).

    `text` is safe everywhere: NUL and lone surrogates stand in it as visible escapes; where that
    changed anything, `text_json` holds the lossless text as an ASCII JSON string.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    text = models.TextField(blank=True)
    text_json = models.TextField(blank=True)
    first_seen_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.sha256[:12]

    @property
    def original(self) -> str:
        return json.loads(self.text_json) if self.text_json else self.text


class Capture(models.Model):
    """One call of a model: what it was sent, what it said.

    All texts are safe everywhere: NUL and lone surrogates stand in them as visible escapes; where
    that changed anything, `originals` holds the lossless values as an ASCII JSON object by column.
    `content_hash` (BLAKE2b) covers all that the line said, system prompt too, however it was
    written: an equal one under the same `call_id` is a duplicate, another one is refused.
    `at_text` is the time as it was written, `at` the same in UTC, cut to microseconds.
    `source_run_id` is the run that the line names; `extras` what it says beyond all that, as an
    ASCII JSON object. `line_number` counts in its upload; the order of uploads is that of `id`.
    `retry_of` is the earlier attempt at the same logical call. `input_crc` is the CRC-32 of
    `user_content`, by which such an attempt is found.
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="captures", db_index=False)
    call_id = models.CharField(max_length=200)
    call_type = models.CharField(max_length=200)
    model = models.CharField(max_length=200, blank=True)
    system_prompt = models.ForeignKey(
        SystemPromptText, models.PROTECT, null=True, related_name="captures", db_index=False
    )
    user_content = models.TextField(blank=True)
    response_content = models.TextField(null=True, blank=True)  # noqa: DJ001 - null is not ""
    originals = models.TextField(blank=True)
    parsed_ok = models.BooleanField()
    success = models.BooleanField(null=True)
    failure_kind = models.CharField(max_length=200, blank=True)
    input_tokens = models.PositiveBigIntegerField(null=True)
    output_tokens = models.PositiveBigIntegerField(null=True)
    latency_ms = models.FloatField(null=True)
    at = models.DateTimeField(null=True)
    at_text = models.CharField(max_length=60, blank=True)
    source_run_id = models.CharField(max_length=200, blank=True)
    extras = models.TextField(blank=True)
    content_hash = models.CharField(max_length=64)
    input_crc = models.BigIntegerField()
    line_number = models.PositiveBigIntegerField()
    retry_of = models.ForeignKey(
        "self", models.PROTECT, null=True, related_name="retries", db_index=False
    )
    uploaded_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "call_id"], name="a call is stored once per run"
            ),
            models.CheckConstraint(
                condition=~Q(call_id="") & ~Q(call_type=""),
                name="a capture names its call and call type",
            ),
        ]
        indexes = [
            models.Index(fields=["run", "call_type", "id"], name="capture_run_type"),
            models.Index(fields=["run", "call_type", "latency_ms"], name="capture_latency"),
            models.Index(fields=["call_type", "id"], name="capture_type"),
            models.Index(fields=["run", "input_crc", "id"], name="capture_input"),
            models.Index(
                fields=["retry_of"], condition=Q(retry_of__isnull=False), name="capture_retries"
            ),
        ]

    def __str__(self) -> str:
        return self.call_id

    def original(self, column: str) -> str | None:
        """The lossless value of a text column."""
        if self.originals:
            changed: dict[str, str] = json.loads(self.originals)
            if column in changed:
                return changed[column]
        value: str | None = getattr(self, column)
        return value
