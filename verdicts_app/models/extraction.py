"""What responses claim, extracted once and shared by all judges and repeats."""

import json
from collections.abc import Mapping
from typing import Any

from django.db import models
from django.db.models import Q

from judgeweb.judging.types import Claim, ClaimList, EvidenceState
from verdicts_app.models.work import Judgement


class ExtractionState(models.TextChoices):
    EXTRACTING = "extracting"
    EXTRACTED = "extracted"
    FAILED = "failed"


class Extraction(models.Model):
    """The claims of one text by one extracting judge.

    `key` hashes all that the extraction depends on, so that equal texts share it. While it is
    being extracted it belongs to `judgement` under `attempt`, and is free as soon as that one is
    no longer claimed under that attempt; afterwards they name who asked and paid, in whose ledger
    the requests stand. Once extracted it never changes.

    `claims` is JSON text: {"claims": [{"number", "text", "quote", "state", "at"}], "flags": [...]}.
    `reply` is the compressed lossless JSON of the reply that was read. `reason` and `detail` say
    why a failed one could not be read.
    """

    key = models.CharField(max_length=64, unique=True)
    text_sha256 = models.CharField(max_length=64)
    prompt_version = models.CharField(max_length=40)
    model = models.CharField(max_length=200)
    effort = models.CharField(max_length=20, blank=True)
    output_mode = models.CharField(max_length=20)
    is_stand_in = models.BooleanField(default=False)
    state = models.CharField(
        max_length=10, choices=ExtractionState, default=ExtractionState.EXTRACTING
    )
    judgement = models.ForeignKey(Judgement, models.PROTECT, related_name="extractions")
    attempt = models.PositiveIntegerField()
    prompt = models.CharField(max_length=20)
    returned_model = models.CharField(max_length=200, blank=True)
    claims = models.TextField(blank=True)
    reply = models.BinaryField(null=True)
    reason = models.CharField(max_length=30, blank=True)
    detail = models.TextField(blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=(Q(state="extracted", reply__isnull=False) & ~Q(claims=""))
                | (~Q(state="extracted") & Q(claims="", reply__isnull=True)),
                name="an extraction has claims and their reply exactly when extracted",
            ),
            models.CheckConstraint(
                condition=(Q(state="failed") & ~Q(reason="")) | (~Q(state="failed") & Q(reason="")),
                name="a failed extraction names its reason and no other does",
            ),
            models.CheckConstraint(
                condition=Q(state="extracting", finished_at__isnull=True)
                | (~Q(state="extracting") & Q(finished_at__isnull=False)),
                name="an extraction is finished exactly when it has a finishing time",
            ),
        ]

    def __str__(self) -> str:
        return f"extraction {self.pk}"

    @property
    def claim_list(self) -> ClaimList:
        """Only where extracted."""
        rows: list[Mapping[str, Any]] = json.loads(self.claims)["claims"]
        return ClaimList(
            self.key,
            tuple(
                Claim(
                    number=one["number"],
                    text=one["text"],
                    quote=one["quote"],
                    evidence_state=EvidenceState(one["state"]),
                    evidence_at=(one["at"][0], one["at"][1]) if one["at"] else None,
                )
                for one in rows
            ),
        )
