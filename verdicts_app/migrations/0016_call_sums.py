import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce


def id_field():
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


def foreign(to, *, null=False):
    return models.ForeignKey(
        db_index=False,
        null=null,
        on_delete=django.db.models.deletion.PROTECT,
        related_name="+",
        to=to,
    )


COUNTS = (
    *("verdicts", "passed", "undecided", "schema_failed", "schema_undecided", "factual_failed"),
    *("factual_undecided", "hallucination_failed", "hallucination_undecided"),
)


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0015_trials")]
    operations = [
        migrations.CreateModel(
            name="CallSum",
            fields=[
                ("id", id_field()),
                ("epoch", foreign("verdicts_app.epoch")),
                (
                    "span",
                    models.CharField(
                        choices=[
                            ("all", "All"),
                            ("month", "Month"),
                            ("week", "Week"),
                            ("day", "Day"),
                        ],
                        max_length=5,
                    ),
                ),
                ("start", models.DateField(help_text="The bucket's first day; of all: 0001-01-01")),
                ("run", foreign("verdicts_app.run")),
                ("call_type", models.CharField(max_length=200)),
                ("system_prompt", foreign("verdicts_app.systemprompttext", null=True)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("contract_revision", foreign("rubrics_app.revision", null=True)),
                *((name, models.BigIntegerField()) for name in COUNTS),
                ("newest_at", models.DateTimeField()),
                ("newest_verdict", models.BigIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["run", "span"], name="call_sum_run")],
                "constraints": [
                    models.UniqueConstraint(
                        *map(F, ("epoch", "span", "start", "run", "call_type")),
                        Coalesce("system_prompt", Value(0)),
                        F("model"),
                        Coalesce("contract_revision", Value(0)),
                        name="a board adds up calls of a kind once per bucket",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            passed__gte=0,
                            undecided__gte=0,
                            verdicts__gte=F("passed") + F("undecided"),
                        )
                        & Q(
                            schema_failed__gte=0,
                            schema_undecided__gte=0,
                            verdicts__gte=F("schema_failed") + F("schema_undecided"),
                        )
                        & Q(
                            factual_failed__gte=0,
                            factual_undecided__gte=0,
                            verdicts__gte=F("factual_failed") + F("factual_undecided"),
                        )
                        & Q(
                            hallucination_failed__gte=0,
                            hallucination_undecided__gte=0,
                            verdicts__gte=F("hallucination_failed") + F("hallucination_undecided"),
                        ),
                        name="a sum of calls counts each verdict once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CaptureSum",
            fields=[
                ("id", id_field()),
                ("run", foreign("verdicts_app.run")),
                ("call_type", models.CharField(max_length=200)),
                ("system_prompt", foreign("verdicts_app.systemprompttext", null=True)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("is_failure", models.BooleanField()),
                ("failure_kind", models.CharField(blank=True, max_length=200)),
                ("day", models.DateField()),
                ("captures", models.BigIntegerField()),
                ("timed", models.BigIntegerField()),
                ("judged", models.BigIntegerField()),
                ("first_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("last_upload", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        *map(F, ("run", "call_type")),
                        Coalesce("system_prompt", Value(0)),
                        *map(F, ("model", "is_failure", "failure_kind", "day")),
                        name="captures of a kind are added up once a day",
                    ),
                    models.CheckConstraint(
                        condition=Q(timed__gte=0, captures__gte=F("timed"))
                        & Q(judged__gte=0, captures__gte=F("judged")),
                        name="a sum of captures counts each once",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="judgement",
            name="call_type",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.AlterField(
            model_name="judgement",
            name="job",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="judgements",
                to="verdicts_app.job",
            ),
        ),
        migrations.AddIndex(
            model_name="judgement",
            index=models.Index(
                fields=["job", "state", "call_type", "unjudged_reason"], name="judgement_job_calls"
            ),
        ),
        migrations.AddIndex(
            model_name="judgement",
            index=models.Index(
                fields=["job", "finished_at", "state"], name="judgement_job_finished"
            ),
        ),
        migrations.RemoveIndex(model_name="capture", name="capture_prompt"),
        migrations.AddIndex(
            model_name="capture",
            index=models.Index(fields=["call_type", "id"], name="capture_type"),
        ),
        migrations.AddIndex(
            model_name="capture",
            index=models.Index(fields=["run", "call_type", "latency_ms"], name="capture_latency"),
        ),
        migrations.AddIndex(
            model_name="ledgerentry",
            index=models.Index(
                fields=["judgement", "state", "prompt", "cost_nano_usd"], name="ledger_costs"
            ),
        ),
        migrations.AddIndex(
            model_name="response",
            index=models.Index(
                fields=["run", "outcome", "scenario", "uploaded_at"], name="response_counts"
            ),
        ),
    ]
