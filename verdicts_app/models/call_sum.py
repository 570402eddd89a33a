"""What boards of captured calls add up: the calls themselves, and the verdicts on them."""

from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce

from rubrics_app.models import Revision
from verdicts_app.models.board_sum import Span
from verdicts_app.models.capture import SystemPromptText
from verdicts_app.models.run import Run
from verdicts_app.models.work import Epoch

DIMENSION_COLUMNS = {
    "schema_ok": "schema",
    "factually_grounded": "factual",
    "hallucination_free": "hallucination",
}
"""Dimension of mode calls -> what its columns begin with."""
FAILED = {key: f"{name}_failed" for key, name in DIMENSION_COLUMNS.items()}
UNDECIDED = {key: f"{name}_undecided" for key, name in DIMENSION_COLUMNS.items()}


def _each_once() -> Q:
    """Per dimension, too, a verdict holds, fails or is undecided."""
    pairs = [("passed", "undecided"), *zip(FAILED.values(), UNDECIDED.values(), strict=True)]
    found = Q()
    for one, other in pairs:
        bounds = {f"{one}__gte": 0, f"{other}__gte": 0, "verdicts__gte": F(one) + F(other)}
        found &= Q(**bounds)
    return found


class CallSum(models.Model):
    """The verdicts on a board about the calls of one run, call type, system prompt and worker in
    one epoch, bucket and contract; of repeats the first counts.

    `newest_at` and `newest_verdict` (its id) are those of all verdicts that counted here since the
    row was last empty: a verdict that leaves the board does not take them back.
    Written by `work.call_sums` in the transaction of the verdicts.
    """

    epoch = models.ForeignKey(Epoch, models.PROTECT, related_name="+", db_index=False)
    span = models.CharField(max_length=5, choices=Span)
    start = models.DateField(help_text="The bucket's first day; of all: 0001-01-01")
    run = models.ForeignKey(Run, models.PROTECT, related_name="+", db_index=False)
    call_type = models.CharField(max_length=200)
    system_prompt = models.ForeignKey(
        SystemPromptText, models.PROTECT, null=True, related_name="+", db_index=False
    )
    model = models.CharField(max_length=200, blank=True)
    contract_revision = models.ForeignKey(
        Revision, models.PROTECT, null=True, related_name="+", db_index=False
    )
    verdicts = models.BigIntegerField()
    passed = models.BigIntegerField()
    undecided = models.BigIntegerField()
    schema_failed = models.BigIntegerField()
    schema_undecided = models.BigIntegerField()
    factual_failed = models.BigIntegerField()
    factual_undecided = models.BigIntegerField()
    hallucination_failed = models.BigIntegerField()
    hallucination_undecided = models.BigIntegerField()
    newest_at = models.DateTimeField()
    newest_verdict = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                *("epoch", "span", "start", "run", "call_type"),
                Coalesce("system_prompt", Value(0)),
                "model",
                Coalesce("contract_revision", Value(0)),
                name="a board adds up calls of a kind once per bucket",
            ),
            models.CheckConstraint(
                condition=_each_once(), name="a sum of calls counts each verdict once"
            ),
        ]
        indexes = [models.Index(fields=["run", "span"], name="call_sum_run")]

    def __str__(self) -> str:
        return f"{self.span} {self.start}: {self.verdicts} verdicts on {self.call_type}"


class CaptureSum(models.Model):
    """The captures of one run, call type, system prompt, worker, failure and day.

    `day` is that of the call, in the installation's zone; of one without a time, its upload's.
    `is_failure`: the producer says that it failed, with or without a `failure_kind`. `timed`
    have a latency, `judged` a live verdict. Written by `work.capture_sums` in the transaction of
    the captures, `judged` in that of the verdicts.
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="+", db_index=False)
    call_type = models.CharField(max_length=200)
    system_prompt = models.ForeignKey(
        SystemPromptText, models.PROTECT, null=True, related_name="+", db_index=False
    )
    model = models.CharField(max_length=200, blank=True)
    is_failure = models.BooleanField()
    failure_kind = models.CharField(max_length=200, blank=True)
    day = models.DateField()
    captures = models.BigIntegerField()
    timed = models.BigIntegerField()
    judged = models.BigIntegerField()
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    last_upload = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                *("run", "call_type"),
                Coalesce("system_prompt", Value(0)),
                *("model", "is_failure", "failure_kind", "day"),
                name="captures of a kind are added up once a day",
            ),
            models.CheckConstraint(
                condition=Q(timed__gte=0, captures__gte=F("timed"))
                & Q(judged__gte=0, captures__gte=F("judged")),
                name="a sum of captures counts each once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day}: {self.captures} of {self.call_type}"
