"""Verdicts: valid outcomes, immutable, with marks, findings and checks in rows."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from rubrics_app.models import Revision, Scenario
from verdicts_app.models.capture import Capture
from verdicts_app.models.persona import Persona
from verdicts_app.models.run import Response, Run
from verdicts_app.models.subject import exactly_one_subject
from verdicts_app.models.together import Chain, Pair
from verdicts_app.models.work import Epoch, Judgement, Origin

POINT = 10**9
"""Totals are stored in 1e-9 points, so that sums are exact in the database."""


class Decision(models.TextChoices):
    WIN = "win"
    TIE = "tie"
    INCONSISTENT = "inconsistent"  # the two orders name different winners


class Rating(models.TextChoices):
    EXCELLENT = "excellent"
    GOOD = "good"
    POOR = "poor"


class Verdict(models.Model):
    """`total_exact` is the fraction "p/q"; `total_nano` the same in 1e-9 points, half to even.

    `superseded_at` is null while live: at most one live verdict per identity. `board_key` hashes
    (subject, mode, epoch, repeat); `on_board` marks the newest live verdict of a board key.
    Only these two columns ever change; the database has triggers.
    `passed` is for modes that check: true where every check holds, false where one fails, null
    where none fails and one is undecidable, and in modes that mark.
    `decision` is for pairs, whose totals stand with the contestants; `rating` for relays.
    `detail` is JSON text: parts, working, stated, flags, notes, assessment.
    """

    judgement = models.OneToOneField(Judgement, models.PROTECT, null=True, related_name="verdict")
    identity = models.CharField(max_length=64)
    board_key = models.CharField(max_length=64)
    mode = models.CharField(max_length=40)
    epoch = models.ForeignKey(Epoch, models.PROTECT, related_name="verdicts")
    origin = models.CharField(max_length=10, choices=Origin)
    run = models.ForeignKey(Run, models.PROTECT, null=True, related_name="verdicts")
    response = models.ForeignKey(Response, models.PROTECT, null=True, related_name="verdicts")
    capture = models.ForeignKey(
        Capture, models.PROTECT, null=True, related_name="verdicts", db_index=False
    )
    pair = models.ForeignKey(
        Pair, models.PROTECT, null=True, related_name="verdicts", db_index=False
    )
    chain = models.ForeignKey(
        Chain, models.PROTECT, null=True, related_name="verdicts", db_index=False
    )
    gold_answer = models.ForeignKey(
        Revision, models.PROTECT, null=True, related_name="+", db_index=False
    )
    persona = models.ForeignKey(Persona, models.PROTECT, null=True, related_name="verdicts")
    scenario = models.ForeignKey(Scenario, models.PROTECT, null=True, related_name="verdicts")
    repeat = models.PositiveSmallIntegerField(default=1)
    answered_at = models.DateTimeField()
    total_nano = models.BigIntegerField(null=True)
    without_persona_nano = models.BigIntegerField(null=True)
    total_exact = models.CharField(max_length=200, blank=True)
    passed = models.BooleanField(null=True)
    decision = models.CharField(max_length=12, choices=Decision, blank=True, default="")
    rating = models.CharField(max_length=10, choices=Rating, blank=True, default="")
    detail = models.TextField()
    flags = models.CharField(max_length=300, blank=True, help_text="Comma-separated")
    response_characters = models.PositiveIntegerField(default=0)
    cost_nano_usd = models.BigIntegerField(null=True)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    latency_ms = models.PositiveIntegerField(null=True)
    judged_at = models.DateTimeField(db_default=Now())
    superseded_at = models.DateTimeField(null=True)
    on_board = models.BooleanField(default=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["identity"],
                condition=Q(superseded_at__isnull=True),
                name="an identity has at most one live verdict",
            ),
            models.UniqueConstraint(
                fields=["board_key"],
                condition=Q(on_board=True),
                name="a board counts one verdict per subject mode epoch and repeat",
            ),
            models.CheckConstraint(
                condition=Q(on_board=False) | Q(superseded_at__isnull=True),
                name="a superseded verdict is on no board",
            ),
            models.CheckConstraint(
                condition=Q(total_nano__isnull=True, total_exact="")
                | (Q(total_nano__gte=0) & ~Q(total_exact="")),
                name="a total is stored exactly and scaled or not at all",
            ),
            models.CheckConstraint(
                condition=exactly_one_subject(), name="a verdict has exactly one subject"
            ),
            models.CheckConstraint(
                condition=Q(pair__isnull=False, decision__in=Decision.values)
                | Q(pair__isnull=True, decision=""),
                name="a comparison is decided and no other verdict is",
            ),
            models.CheckConstraint(
                condition=Q(chain__isnull=False, rating__in=Rating.values)
                | Q(chain__isnull=True, rating=""),
                name="a relay is rated and no other verdict is",
            ),
            models.CheckConstraint(
                condition=Q(decision="", rating="") | Q(total_nano__isnull=True),
                name="what is decided or rated has no total of its own",
            ),
            models.CheckConstraint(
                condition=Q(gold_answer__isnull=True) | Q(on_board=False),
                name="a calibration is on no board",
            ),
            models.CheckConstraint(
                condition=~Q(origin="trial") | Q(on_board=False, run__isnull=True),
                name="a trial is on no board and in no run",
            ),
        ]
        indexes = [
            # All that a board sums stands in the index, as columns of its own: SQLite has no
            # INCLUDE, and a row with its texts fills a page. It reads `on_board` there, too.
            models.Index(
                fields=[
                    "epoch",
                    "persona",
                    "scenario",
                    "total_nano",
                    "without_persona_nano",
                    "cost_nano_usd",
                    "answered_at",
                    "repeat",
                    "on_board",
                ],
                condition=Q(on_board=True),
                name="verdict_board",
            ),
            models.Index(
                fields=["epoch", "-id"], condition=Q(on_board=True), name="verdict_newest"
            ),
            models.Index(fields=["response", "-id"], name="verdict_response"),
            models.Index(fields=["run", "-id"], name="verdict_run"),
            models.Index(
                fields=["capture", "-id"],
                condition=Q(capture__isnull=False),
                name="verdict_capture",
            ),
            models.Index(
                fields=["pair", "-id"], condition=Q(pair__isnull=False), name="verdict_pair"
            ),
            models.Index(
                fields=["chain", "-id"], condition=Q(chain__isnull=False), name="verdict_chain"
            ),
            models.Index(
                fields=["gold_answer", "epoch", "-id"],
                condition=Q(gold_answer__isnull=False),
                name="verdict_calibration",
            ),
            # Every board asks how its judge stands now: old calibrations must not be read.
            models.Index(
                fields=["gold_answer", "epoch", "id"],
                condition=Q(gold_answer__isnull=False, superseded_at__isnull=True),
                name="verdict_live_calibration",
            ),
        ]

    def __str__(self) -> str:
        return f"verdict {self.pk}"

    @property
    def is_live(self) -> bool:
        return self.superseded_at is None


class VerdictMark(models.Model):
    """One 1-10 mark. `value_exact` is "p/q" or a whole number; `value_nano` is scaled by 1e9.
    In comparisons `contestant` is the contestant's label, `order` the label of the prompt."""

    verdict = models.ForeignKey(Verdict, models.PROTECT, related_name="marks")
    position = models.PositiveSmallIntegerField()
    contestant = models.CharField(max_length=210, blank=True)
    order = models.CharField(max_length=20, blank=True, default="")
    dimension = models.CharField(max_length=60)
    key = models.CharField(max_length=60)
    label = models.CharField(max_length=100)
    value_exact = models.CharField(max_length=100)
    value_nano = models.BigIntegerField()
    band = models.CharField(max_length=10, blank=True)
    coerced = models.BooleanField(default=False)
    reasoning = models.TextField(blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.CheckConstraint(
                condition=Q(value_nano__gte=POINT, value_nano__lte=10 * POINT),
                name="a mark lies from one to ten",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.value_exact}"


class VerdictFinding(models.Model):
    """One checklist item, behaviour or claim. `evidence_start/end` index the response text."""

    verdict = models.ForeignKey(Verdict, models.PROTECT, related_name="findings")
    position = models.PositiveIntegerField()
    contestant = models.CharField(max_length=210, blank=True)
    order = models.CharField(max_length=20, blank=True, default="")
    kind = models.CharField(max_length=20)
    item_id = models.CharField(max_length=200, blank=True)
    category = models.CharField(max_length=100, blank=True)
    description = models.TextField(blank=True)
    weight = models.PositiveSmallIntegerField(default=0)
    found = models.BooleanField()
    evidence = models.TextField(blank=True)
    evidence_state = models.CharField(max_length=10)
    evidence_start = models.PositiveIntegerField(null=True)
    evidence_end = models.PositiveIntegerField(null=True)
    reasoning = models.TextField(blank=True)

    class Meta:
        ordering = ["position"]

    def __str__(self) -> str:
        return self.item_id or self.kind


class VerdictCheck(models.Model):
    """One dimension that holds or does not; `ok` null: undecidable.

    `decided_by` is "rule", "contract" or "judge". `worst_offender` is one line quoted from the
    response, only where the dimension failed; `evidence_start/end` index the response text.
    """

    verdict = models.ForeignKey(Verdict, models.PROTECT, related_name="checks")
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=60)
    ok = models.BooleanField(null=True)
    rationale = models.TextField(blank=True)
    worst_offender = models.TextField(blank=True)
    decided_by = models.CharField(max_length=10)
    evidence_state = models.CharField(max_length=10)
    evidence_start = models.PositiveIntegerField(null=True)
    evidence_end = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["verdict", "key"], name="a verdict checks a dimension once"
            ),
            models.CheckConstraint(
                condition=Q(ok=False) | Q(worst_offender=""),
                name="only a failed check names an offender",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.ok}"


class IdempotencyKey(models.Model):
    """An `Idempotency-Key` of the API with what it was answered; a key with another body is 409."""

    owner = models.CharField(max_length=200)
    key = models.CharField(max_length=200)
    request_sha256 = models.CharField(max_length=64)
    job = models.ForeignKey("verdicts_app.Job", models.CASCADE, null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "key"], name="an idempotency key is used once per owner"
            ),
        ]

    def __str__(self) -> str:
        return self.key
