"""The ledger: every request to a judge, written before it is sent."""

from django.db import models
from django.db.models import Q

from verdicts_app.models.work import Judgement


class PromptText(models.Model):
    """A cacheable prompt prefix, stored once by its SHA-256."""

    sha256 = models.CharField(max_length=64, unique=True)
    text = models.TextField()

    def __str__(self) -> str:
        return self.sha256[:12]


class LedgerState(models.TextChoices):
    OPEN = "open"  # written before the request is sent
    ANSWERED = "answered"
    FAILED = "failed"  # an error came back, or none in time
    LOST = "lost"  # the worker died; the request may have reached the provider


class RequestRow(models.Model):
    """One request to a judge, written before it is sent. Its tokens and cost count whatever
    became of it; while it is open and when it is lost, `cost_nano_usd` is its worst case.
    `ordinal` counts the requests of one piece of work. `messages` is the zlib-compressed JSON
    list of user and assistant turns; `reply` the zlib-compressed lossless JSON of the reply."""

    ordinal = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=LedgerState, default=LedgerState.OPEN)
    system = models.ForeignKey(PromptText, models.PROTECT, related_name="+")
    messages = models.BinaryField()
    max_tokens = models.PositiveIntegerField()
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=500, blank=True)
    request_id = models.CharField(max_length=100, blank=True)
    returned_model = models.CharField(max_length=200, blank=True)
    stop_reason = models.CharField(max_length=60, blank=True)
    reply = models.BinaryField(null=True)
    input_tokens = models.PositiveIntegerField(default=0)
    cache_write_tokens = models.PositiveIntegerField(default=0)
    cache_write_1h_tokens = models.PositiveIntegerField(default=0)
    cache_read_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cost_nano_usd = models.BigIntegerField(null=True, help_text="Null: price not known")
    latency_ms = models.PositiveIntegerField(null=True)

    class Meta:
        abstract = True


class LedgerEntry(RequestRow):
    """A request of a judgement. `prompt` names the prompt ("first", "second" order; "probe" for
    the request that tried the judge before the job started)."""

    judgement = models.ForeignKey(Judgement, models.PROTECT, related_name="requests")
    attempt = models.PositiveIntegerField()
    prompt = models.CharField(max_length=20, default="first")

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "ledger entries"
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", closed_at__isnull=True)
                | (~Q(state="open") & Q(closed_at__isnull=False)),
                name="a ledger entry is open until it has a closing time",
            ),
        ]
        indexes = [
            models.Index(fields=["opened_at"], condition=Q(state="open"), name="ledger_open"),
            # What pages add up stands in the index: a row with its texts fills a page.
            models.Index(
                fields=["judgement", "state", "prompt", "cost_nano_usd"], name="ledger_costs"
            ),
        ]

    def __str__(self) -> str:
        return f"request {self.ordinal} of {self.judgement_id}"
