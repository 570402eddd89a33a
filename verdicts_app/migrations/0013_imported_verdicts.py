"""Verdicts made elsewhere keep their document; personas and themes keep what their file says.

An imported verdict whose scenario is not known yet may be linked to it later, once: nothing of
the verdict itself changes.
"""

from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models

frozen = import_module("verdicts_app.migrations.0003_verdicts_never_change")
checks = import_module("verdicts_app.migrations.0007_checks_never_change")
together = import_module("verdicts_app.migrations.0012_comparisons_never_change")

LINKED = "scenario_id"
DOCUMENT = "verdicts_app_importeddocument"


def changed(differs):
    others = [column for column in together.VERDICT_COLUMNS if column != LINKED]
    relinked = (
        f'OLD."{LINKED}" {differs} NEW."{LINKED}" '
        f'AND (OLD."{LINKED}" IS NOT NULL OR OLD."origin" <> \'imported\')'
    )
    return f"{frozen.any_changed(others, differs)} OR ({relinked})"


BEFORE = together.CHANGED
AFTER = (*BEFORE[:3], changed)
NEW = [
    ("an imported document never changes", DOCUMENT, "UPDATE", None),
    ("an imported document never goes", DOCUMENT, "DELETE", None),
]


def forwards(apps, schema_editor):
    together.replace(schema_editor, [BEFORE], [AFTER, *NEW])


def backwards(apps, schema_editor):
    together.replace(schema_editor, [AFTER, *NEW], [BEFORE])


class Migration(migrations.Migration):
    dependencies = [
        ("verdicts_app", "0012_comparisons_never_change"),
    ]

    operations = [
        migrations.CreateModel(
            name="Theme",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200, unique=True)),
                ("description", models.TextField(blank=True)),
                ("extras", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.AddField(
            model_name="persona",
            name="expertise",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="persona",
            name="extras",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="persona",
            name="style",
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name="response",
            name="outcome",
            field=models.CharField(
                choices=[("answered", "Answered"), ("failed", "Failed"), ("absent", "Absent")],
                max_length=10,
            ),
        ),
        migrations.CreateModel(
            name="ImportedDocument",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("shape", models.CharField(max_length=40)),
                ("file", models.CharField(blank=True, max_length=200)),
                ("place", models.CharField(blank=True, max_length=40)),
                ("sha256", models.CharField(max_length=64)),
                ("document", models.TextField()),
                (
                    "verdict",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="imported",
                        to="verdicts_app.verdict",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("document", ""), _negated=True),
                            models.Q(("shape", ""), _negated=True),
                        ),
                        name="an imported verdict keeps its document and the name of its shape",
                    )
                ],
            },
        ),
        migrations.RunPython(forwards, backwards),
    ]
