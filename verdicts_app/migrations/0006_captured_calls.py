from importlib import import_module

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

frozen = import_module("verdicts_app.migrations.0003_verdicts_never_change")


def restore_triggers(apps, schema_editor):
    """On the way back SQLite builds the table of verdicts anew, without its triggers."""
    if schema_editor.connection.vendor == "sqlite":
        for trigger in frozen.TRIGGERS:
            if trigger[1] == frozen.VERDICT:
                for statement in frozen.on_sqlite(*trigger):
                    schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics_app", "0003_ship_first_rubrics"),
        ("verdicts_app", "0005_board_indexes"),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, restore_triggers),
        migrations.CreateModel(
            name="SystemPromptText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("text", models.TextField(blank=True)),
                ("text_json", models.TextField(blank=True)),
                (
                    "first_seen_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Capture",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("call_id", models.CharField(max_length=200)),
                ("call_type", models.CharField(max_length=200)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("user_content", models.TextField(blank=True)),
                ("response_content", models.TextField(blank=True, null=True)),
                ("originals", models.TextField(blank=True)),
                ("parsed_ok", models.BooleanField()),
                ("success", models.BooleanField(null=True)),
                ("failure_kind", models.CharField(blank=True, max_length=200)),
                ("input_tokens", models.PositiveBigIntegerField(null=True)),
                ("output_tokens", models.PositiveBigIntegerField(null=True)),
                ("latency_ms", models.FloatField(null=True)),
                ("at", models.DateTimeField(null=True)),
                ("at_text", models.CharField(blank=True, max_length=60)),
                ("source_run_id", models.CharField(blank=True, max_length=200)),
                ("extras", models.TextField(blank=True)),
                ("content_hash", models.CharField(max_length=64)),
                ("input_crc", models.BigIntegerField()),
                ("line_number", models.PositiveBigIntegerField()),
                ("uploaded_at", models.DateTimeField()),
                (
                    "retry_of",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="retries",
                        to="verdicts_app.capture",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="captures",
                        to="verdicts_app.run",
                    ),
                ),
                (
                    "system_prompt",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="captures",
                        to="verdicts_app.systemprompttext",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(fields=["run", "call_type", "id"], name="capture_run_type"),
                    models.Index(
                        fields=["call_type", "system_prompt", "at"], name="capture_prompt"
                    ),
                    models.Index(fields=["run", "input_crc", "id"], name="capture_input"),
                    models.Index(
                        condition=models.Q(("retry_of__isnull", False)),
                        fields=["retry_of"],
                        name="capture_retries",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "call_id"), name="a call is stored once per run"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("call_id", ""), _negated=True),
                            models.Q(("call_type", ""), _negated=True),
                        ),
                        name="a capture names its call and call type",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="VerdictCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("key", models.CharField(max_length=60)),
                ("ok", models.BooleanField(null=True)),
                ("rationale", models.TextField(blank=True)),
                ("worst_offender", models.TextField(blank=True)),
                ("decided_by", models.CharField(max_length=10)),
                ("evidence_state", models.CharField(max_length=10)),
                ("evidence_start", models.PositiveIntegerField(null=True)),
                ("evidence_end", models.PositiveIntegerField(null=True)),
                (
                    "verdict",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="checks",
                        to="verdicts_app.verdict",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("verdict", "key"), name="a verdict checks a dimension once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ok", False), ("worst_offender", ""), _connector="OR"),
                        name="only a failed check names an offender",
                    ),
                ],
            },
        ),
        migrations.RemoveConstraint(
            model_name="judgement",
            name="a judgement has exactly one subject",
        ),
        migrations.AddField(
            model_name="judgement",
            name="capture",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="judgements",
                to="verdicts_app.capture",
            ),
        ),
        migrations.AddConstraint(
            model_name="judgement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("capture__isnull", True), ("response__isnull", False)),
                    models.Q(("capture__isnull", False), ("response__isnull", True)),
                    _connector="OR",
                ),
                name="a judgement has exactly one subject",
            ),
        ),
        migrations.AddIndex(
            model_name="judgement",
            index=models.Index(
                condition=models.Q(("capture__isnull", False), ("state", "unjudged")),
                fields=["epoch", "mode", "capture"],
                name="judgement_unjudged_calls",
            ),
        ),
        migrations.AddField(
            model_name="verdict",
            name="capture",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="verdicts",
                to="verdicts_app.capture",
            ),
        ),
        migrations.AddField(
            model_name="verdict",
            name="passed",
            field=models.BooleanField(null=True),
        ),
        migrations.AddIndex(
            model_name="verdict",
            index=models.Index(
                condition=models.Q(("capture__isnull", False)),
                fields=["capture", "-id"],
                name="verdict_capture",
            ),
        ),
    ]
