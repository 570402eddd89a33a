"""Contracts drafted by the judge with a ledger of their own, protected as the other one is; and
captures whose verdict takes from an earlier one what the judge decided."""

from importlib import import_module

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

frozen = import_module("verdicts_app.migrations.0003_verdicts_never_change")

REQUEST = "verdicts_app_draftingrequest"
TRIGGERS = [
    (
        "an answered or failed drafting request never changes",
        REQUEST,
        "UPDATE",
        lambda differs: "OLD.state IN ('answered', 'failed')",
    ),
    ("a drafting request never goes", REQUEST, "DELETE", None),
]


def create_triggers(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for trigger in TRIGGERS:
        for statement in (frozen.on_postgresql if postgresql else frozen.on_sqlite)(*trigger):
            schema_editor.execute(statement, params=None)


def drop_triggers(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    on = f" ON {REQUEST}" if postgresql else ""
    for name, _, event, _ in TRIGGERS:
        schema_editor.execute(f'DROP TRIGGER "{name}"{on}', params=None)
        if postgresql and event == "DELETE":
            schema_editor.execute(f'DROP TRIGGER "{name} with its table"{on}', params=None)


def points_at(model, related_name="+", **options):
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT, related_name=related_name, to=model, **options
    )


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics_app", "0005_ship_calls_rubric"),
        ("verdicts_app", "0013_imported_verdicts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="judgement",
            name="taken_from",
            field=points_at("verdicts_app.verdict", db_index=False, null=True),
        ),
        migrations.AddConstraint(
            model_name="judgement",
            constraint=models.CheckConstraint(
                condition=Q(taken_from__isnull=True)
                | Q(capture__isnull=False, contract_revision__isnull=False),
                name="only a captured call with a contract takes from another verdict",
            ),
        ),
        migrations.CreateModel(
            name="Drafting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("call_type", models.CharField(max_length=200)),
                ("system_prompt", points_at("verdicts_app.systemprompttext", "draftings")),
                ("run", points_at("verdicts_app.run", null=True)),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("judged", "Judged"),
                            ("sample", "Sample"),
                            ("stand_in", "stand-in"),
                            ("imported", "Imported"),
                        ],
                        max_length=10,
                    ),
                ),
                ("model", models.CharField(max_length=200)),
                ("effort", models.CharField(blank=True, max_length=20)),
                ("output_mode", models.CharField(max_length=20)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("drafting", "Drafting"),
                            ("drafted", "Drafted"),
                            ("failed", "Failed"),
                        ],
                        default="drafting",
                        max_length=10,
                    ),
                ),
                ("claimed_until", models.DateTimeField(null=True)),
                ("reason", models.CharField(blank=True, max_length=30)),
                ("detail", models.TextField(blank=True)),
                ("document", models.TextField(blank=True)),
                ("revision", points_at("rubrics_app.revision", null=True)),
                ("budget_nano_usd", models.BigIntegerField(null=True)),
                (
                    "asked_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(state="drafting"),
                        fields=("call_type", "system_prompt"),
                        name="a contract is drafted once at a time",
                    ),
                    models.CheckConstraint(
                        condition=(Q(state="drafted") & ~Q(document=""))
                        | (~Q(state="drafted") & Q(document="", revision__isnull=True)),
                        name="a drafting has a document exactly when drafted",
                    ),
                    models.CheckConstraint(
                        condition=(Q(state="failed") & ~Q(reason=""))
                        | (~Q(state="failed") & Q(reason="")),
                        name="a failed drafting names its reason and no other does",
                    ),
                    models.CheckConstraint(
                        condition=Q(state="drafting", finished_at__isnull=True)
                        | (
                            ~Q(state="drafting")
                            & Q(finished_at__isnull=False, claimed_until__isnull=True)
                        ),
                        name="a drafting is finished exactly when it has a finishing time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DraftingRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("ordinal", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("answered", "Answered"),
                            ("failed", "Failed"),
                            ("lost", "Lost"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("system", points_at("verdicts_app.prompttext")),
                ("messages", models.BinaryField()),
                ("max_tokens", models.PositiveIntegerField()),
                ("opened_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("error", models.CharField(blank=True, max_length=500)),
                ("request_id", models.CharField(blank=True, max_length=100)),
                ("returned_model", models.CharField(blank=True, max_length=200)),
                ("stop_reason", models.CharField(blank=True, max_length=60)),
                ("reply", models.BinaryField(null=True)),
                ("input_tokens", models.PositiveIntegerField(default=0)),
                ("cache_write_tokens", models.PositiveIntegerField(default=0)),
                ("cache_write_1h_tokens", models.PositiveIntegerField(default=0)),
                ("cache_read_tokens", models.PositiveIntegerField(default=0)),
                ("output_tokens", models.PositiveIntegerField(default=0)),
                (
                    "cost_nano_usd",
                    models.BigIntegerField(help_text="Null: price not known", null=True),
                ),
                ("latency_ms", models.PositiveIntegerField(null=True)),
                ("drafting", points_at("verdicts_app.drafting", "requests")),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(state="open", closed_at__isnull=True)
                        | (~Q(state="open") & Q(closed_at__isnull=False)),
                        name="a request of a drafting is open until it has a closing time",
                    ),
                ],
            },
        ),
        migrations.RunPython(create_triggers, drop_triggers),
    ]
