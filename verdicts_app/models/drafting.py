"""Contracts drafted by the judge from a captured system prompt (the seed's calibration)."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from rubrics_app.models import Revision
from verdicts_app.models.capture import SystemPromptText
from verdicts_app.models.ledger import LedgerState, RequestRow
from verdicts_app.models.run import Run
from verdicts_app.models.work import Origin


class DraftingState(models.TextChoices):
    DRAFTING = "drafting"
    DRAFTED = "drafted"
    FAILED = "failed"


class Drafting(models.Model):
    """One attempt to have a contract drafted, paid for once. A failed one is a value, with its
    reason; asking again is another drafting.

    `document` is the canonical JSON of the contract as the judge drafted it: nothing is judged by
    it until an author has published it, as `revision`. `run` is where it was asked for.
    `budget_nano_usd` is the most it may cost (1e-9 USD); null where the price is not known.
    `claimed_until` is the lease of the worker that asks.
    """

    call_type = models.CharField(max_length=200)
    system_prompt = models.ForeignKey(SystemPromptText, models.PROTECT, related_name="draftings")
    run = models.ForeignKey(Run, models.PROTECT, null=True, related_name="+")
    origin = models.CharField(max_length=10, choices=Origin)
    model = models.CharField(max_length=200)
    effort = models.CharField(max_length=20, blank=True)
    output_mode = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=DraftingState, default=DraftingState.DRAFTING)
    claimed_until = models.DateTimeField(null=True)
    reason = models.CharField(max_length=30, blank=True)
    detail = models.TextField(blank=True)
    document = models.TextField(blank=True)
    revision = models.ForeignKey(Revision, models.PROTECT, null=True, related_name="+")
    budget_nano_usd = models.BigIntegerField(null=True)
    asked_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["call_type", "system_prompt"],
                condition=Q(state="drafting"),
                name="a contract is drafted once at a time",
            ),
            models.CheckConstraint(
                condition=(Q(state="drafted") & ~Q(document=""))
                | (~Q(state="drafted") & Q(document="", revision__isnull=True)),
                name="a drafting has a document exactly when drafted",
            ),
            models.CheckConstraint(
                condition=(Q(state="failed") & ~Q(reason="")) | (~Q(state="failed") & Q(reason="")),
                name="a failed drafting names its reason and no other does",
            ),
            models.CheckConstraint(
                condition=Q(state="drafting", finished_at__isnull=True)
                | (~Q(state="drafting") & Q(finished_at__isnull=False, claimed_until__isnull=True)),
                name="a drafting is finished exactly when it has a finishing time",
            ),
        ]

    def __str__(self) -> str:
        return f"drafting {self.pk}"


class DraftingRequest(RequestRow):
    """A request of a drafting: its ledger."""

    drafting = models.ForeignKey(Drafting, models.PROTECT, related_name="requests")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state=LedgerState.OPEN, closed_at__isnull=True)
                | (~Q(state=LedgerState.OPEN) & Q(closed_at__isnull=False)),
                name="a request of a drafting is open until it has a closing time",
            ),
        ]

    def __str__(self) -> str:
        return f"request {self.ordinal} of drafting {self.drafting_id}"
