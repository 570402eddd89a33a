"""Contracts of captured calls: what schema_ok means, per call type or per system prompt."""

import hashlib

from django.core.validators import RegexValidator
from django.db import models

from rubrics_app.models.revision import Draft, RevisionKind

LONGEST_KEY = 200


class Contract(Draft):
    """`key` is made of call type and system prompt: see `contract_key`. `system_prompt_sha256`
    is empty where the contract is for any system prompt of its call type."""

    kind = RevisionKind.CONTRACT

    call_type = models.CharField(max_length=200)
    system_prompt_sha256 = models.CharField(
        "SHA-256 of the system prompt",
        max_length=64,
        blank=True,
        validators=[RegexValidator(r"\A[0-9a-f]{64}\Z", "64 hex digits in lower case")],
        help_text="Empty: for every system prompt of the call type that has no contract of its own",
    )
    json_schema = models.TextField("JSON Schema")
    strict = models.BooleanField(
        default=True, help_text="Top-level fields that the schema does not declare fail"
    )
    source = models.CharField(max_length=300, blank=True, help_text="Where the contract is from")
    notes = models.TextField(blank=True)

    class Meta(Draft.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["call_type", "system_prompt_sha256"],
                name="a call type has one contract per system prompt and one for any",
            ),
        ]


class CallTypePolicy(models.Model):
    """What holds for all captures of a call type. Without a row: everything must be decided."""

    call_type = models.CharField(max_length=200, unique=True)
    undecidable_allowed = models.BooleanField(
        default=False,
        help_text="The judge may say that the capture lacks what would decide a dimension "
        "(workers that read files through tools); such captures are left out of exports",
    )

    class Meta:
        ordering = ["call_type"]
        verbose_name_plural = "call type policies"

    def __str__(self) -> str:
        return self.call_type


def contract_key(call_type: str, system_prompt_sha256: str) -> str:
    """The key of a contract: its call type, with the first digits of the prompt's hash."""
    suffix = f"@{system_prompt_sha256[:12]}" if system_prompt_sha256 else ""
    if len(call_type) + len(suffix) > LONGEST_KEY:
        digest = hashlib.sha256(call_type.encode()).hexdigest()[:12]
        call_type = f"{call_type[: LONGEST_KEY - len(suffix) - 13]}~{digest}"
    return call_type + suffix
