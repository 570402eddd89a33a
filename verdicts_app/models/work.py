"""The work: jobs and judgements."""

import json
import uuid
from functools import lru_cache

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from judgeweb.judging.relay import epoch_family
from rubrics_app.models import Revision, Scenario
from verdicts_app.models.capture import Capture
from verdicts_app.models.run import Response, Run
from verdicts_app.models.subject import exactly_one_subject
from verdicts_app.models.together import Chain, Pair


class Origin(models.TextChoices):
    JUDGED = "judged"
    SAMPLE = "sample"  # made by `manage.py demo`, labelled as sample data
    STAND_IN = "stand_in", "stand-in"  # marks of the local stand-in: not a judgement
    IMPORTED = "imported"  # verdicts of another tool
    TRIAL = "trial"  # judged in the playground: on no board and in no run


class Epoch(models.Model):
    """What must be equal for two verdicts to stand on one board.

    `base_digest` hashes (origin, mode, rubric revision, prompt version, requested model,
    parameters). Where the provider answers under another model name than before, a further epoch
    of the same base starts: `digest` covers `returned_model` as well. `parameters` is JSON text.
    """

    digest = models.CharField(max_length=64, unique=True)
    base_digest = models.CharField(max_length=64, db_index=True)
    origin = models.CharField(max_length=10, choices=Origin)
    mode = models.CharField(max_length=40)
    rubric_revision = models.ForeignKey(Revision, models.PROTECT, null=True, related_name="+")
    prompt_version = models.CharField(max_length=40)
    requested_model = models.CharField(max_length=200, blank=True)
    returned_model = models.CharField(max_length=200, blank=True)
    parameters = models.TextField(default="{}")
    started_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.short

    @property
    def short(self) -> str:
        return self.digest[:6]

    @property
    def judge(self) -> str:
        """The model that answered, by the name that it gave."""
        unnamed = "not named" if self.origin == Origin.IMPORTED else "no model"
        return self.returned_model or self.requested_model or unnamed

    @property
    def effort(self) -> str:
        """How hard its judge was asked to think; empty where that was left to the model."""
        return str(json.loads(self.parameters or "{}").get("effort", ""))

    @property
    def family(self) -> str:
        """What must be equal for the five judgements of a relay to be of one judge."""
        return _family(self.origin, self.requested_model, self.parameters)


@lru_cache(maxsize=256)
def _family(origin: str, model: str, parameters_json: str) -> str:
    return epoch_family(origin, [model], json.loads(parameters_json or "{}"))


class JobState(models.TextChoices):
    RUNNING = "running"
    PAUSED = "paused"
    PARKED = "parked", "parked: budget reached"
    WAITING = "waiting", "waiting for a judge"
    DONE = "done"
    CANCELLED = "cancelled"


class Job(models.Model):
    """The judgements asked for together. Counts are derived from its judgements, never stored.

    `budget_nano_usd` is a hard cap (1e-9 USD); null only where a mode needs no model.
    `committed_nano_usd` is the sum of the costs in its ledger, where a request counts its worst
    case until it is closed. It is kept here so that workers share one cap: a request is sent only
    after one conditional UPDATE has raised it within the budget.
    `state_detail` says in words why it waits; `retry_at` when it is tried again.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, models.PROTECT, null=True, related_name="jobs")
    state = models.CharField(max_length=10, choices=JobState, default=JobState.RUNNING)
    state_detail = models.CharField(max_length=500, blank=True)
    retry_at = models.DateTimeField(null=True)
    budget_nano_usd = models.BigIntegerField(null=True)
    committed_nano_usd = models.BigIntegerField(default=0)
    estimate_nano_usd = models.BigIntegerField(null=True)
    probed_at = models.DateTimeField(null=True)
    woken_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["done", "cancelled"], finished_at__isnull=False)
                | (~Q(state__in=["done", "cancelled"]) & Q(finished_at__isnull=True)),
                name="a job is finished exactly when it has a finishing time",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class JobEvent(models.Model):
    """What happened to a job, in words, for its page."""

    job = models.ForeignKey(Job, models.CASCADE, related_name="events")
    at = models.DateTimeField(db_default=Now())
    text = models.CharField(max_length=500)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.text


class JudgementState(models.TextChoices):
    PLANNED = "planned"
    CLAIMED = "claimed"
    JUDGED = "judged"
    UNJUDGED = "unjudged"
    CANCELLED = "cancelled"


OPEN_STATES = [JudgementState.PLANNED, JudgementState.CLAIMED]


class Judgement(models.Model):
    """One unit of judging work.

    `identity` hashes (subject, repeat, all pins known when planned). `attempt` rises with each
    claim; only the worker that holds the attempt may record. `claimed_until` is the lease.
    `lost` counts the leases that ran out: a judgement that kills its worker is given up.
    `call_type` is that of its capture, so that counting by it reads no captures.
    `linked` is the verdict of a model on the same response whose persona marks a patch verdict
    takes over.
    `taken_from` is an earlier verdict on the same prompt, under another contract: what its judge
    decided holds here too, so that nobody is asked.
    The two are no one thing: `linked` is of another mode and adds one part to what is computed
    here, and it is pinned in the identity, since another mark makes another total. `taken_from`
    is in place of the request, gives the whole reading, and is in no identity: asking anew would
    be the same judgement.
    `seed` permutes what the judge is shown; "" leaves rubric and checklist in their own order.
    """

    job = models.ForeignKey(Job, models.PROTECT, related_name="judgements", db_index=False)
    mode = models.CharField(max_length=40)
    response = models.ForeignKey(Response, models.PROTECT, null=True, related_name="judgements")
    capture = models.ForeignKey(Capture, models.PROTECT, null=True, related_name="judgements")
    call_type = models.CharField(max_length=200, blank=True, default="", db_default="")
    pair = models.ForeignKey(
        Pair, models.PROTECT, null=True, related_name="judgements", db_index=False
    )
    chain = models.ForeignKey(
        Chain, models.PROTECT, null=True, related_name="judgements", db_index=False
    )
    gold_answer = models.ForeignKey(
        Revision, models.PROTECT, null=True, related_name="+", db_index=False
    )
    linked = models.ForeignKey(
        "verdicts_app.Verdict", models.PROTECT, null=True, related_name="+", db_index=False
    )
    scenario = models.ForeignKey(Scenario, models.PROTECT, null=True, related_name="+")
    scenario_revision = models.ForeignKey(Revision, models.PROTECT, null=True, related_name="+")
    gold_revision = models.ForeignKey(Revision, models.PROTECT, null=True, related_name="+")
    contract_revision = models.ForeignKey(Revision, models.PROTECT, null=True, related_name="+")
    taken_from = models.ForeignKey(
        "Verdict", models.PROTECT, null=True, related_name="+", db_index=False
    )
    epoch = models.ForeignKey(Epoch, models.PROTECT, related_name="judgements")
    repeat = models.PositiveSmallIntegerField(default=1)
    seed = models.CharField(max_length=16, blank=True, default="", db_default="")
    identity = models.CharField(max_length=64, db_index=True)
    state = models.CharField(max_length=10, choices=JudgementState, default=JudgementState.PLANNED)
    attempt = models.PositiveIntegerField(default=0)
    claimed_until = models.DateTimeField(null=True)
    lost = models.PositiveSmallIntegerField(default=0)
    unjudged_reason = models.CharField(max_length=30, blank=True)
    unjudged_detail = models.TextField(blank=True)
    planned_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["identity"],
                condition=Q(state__in=["planned", "claimed"]),
                name="an identity is worked on once at a time",
            ),
            models.CheckConstraint(
                condition=exactly_one_subject(), name="a judgement has exactly one subject"
            ),
            models.CheckConstraint(
                condition=Q(taken_from__isnull=True)
                | Q(capture__isnull=False, contract_revision__isnull=False),
                name="only a captured call with a contract takes from another verdict",
            ),
            models.CheckConstraint(
                condition=Q(capture__isnull=True, call_type="")
                | (Q(capture__isnull=False) & ~Q(call_type="")),
                name="a judgement of a captured call names its call type",
            ),
            models.CheckConstraint(
                condition=Q(state="claimed", claimed_until__isnull=False)
                | (~Q(state="claimed") & Q(claimed_until__isnull=True)),
                name="a judgement holds a lease exactly while claimed",
            ),
            models.CheckConstraint(
                condition=(Q(state="unjudged") & ~Q(unjudged_reason=""))
                | (~Q(state="unjudged") & Q(unjudged_reason="")),
                name="an unjudged judgement names its reason and no other does",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=["judged", "unjudged", "cancelled"], finished_at__isnull=False
                )
                | Q(state__in=["planned", "claimed"], finished_at__isnull=True),
                name="a judgement is finished exactly when it has a finishing time",
            ),
        ]
        indexes = [
            models.Index(fields=["job", "state", "id"], name="judgement_job_state"),
            # All that pages count of a job's calls, so that they need no rows.
            models.Index(
                fields=["job", "state", "call_type", "unjudged_reason"], name="judgement_job_calls"
            ),
            models.Index(fields=["job", "finished_at", "state"], name="judgement_job_finished"),
            models.Index(
                fields=["claimed_until"],
                condition=Q(state="claimed"),
                name="judgement_leases",
            ),
            # Whole: SQLite finds no partial index by a value that is a parameter.
            models.Index(fields=["epoch", "state", "response"], name="judgement_epoch_state"),
            models.Index(
                fields=["epoch", "mode", "capture"],
                condition=Q(state="unjudged", capture__isnull=False),
                name="judgement_unjudged_calls",
            ),
            models.Index(fields=["pair"], condition=Q(pair__isnull=False), name="judgement_pair"),
            models.Index(
                fields=["chain"], condition=Q(chain__isnull=False), name="judgement_chain"
            ),
        ]

    def __str__(self) -> str:
        return f"judgement {self.pk}"
