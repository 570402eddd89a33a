"""Claims of responses, extracted once; and the seed by which a judge is shown its material."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0021_add_up_spread")]

    operations = [
        migrations.AddField(
            model_name="judgement",
            name="seed",
            field=models.CharField(blank=True, db_default="", default="", max_length=16),
        ),
        migrations.CreateModel(
            name="Extraction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=64, unique=True)),
                ("text_sha256", models.CharField(max_length=64)),
                ("prompt_version", models.CharField(max_length=40)),
                ("model", models.CharField(max_length=200)),
                ("effort", models.CharField(blank=True, max_length=20)),
                ("output_mode", models.CharField(max_length=20)),
                ("is_stand_in", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("extracting", "Extracting"),
                            ("extracted", "Extracted"),
                            ("failed", "Failed"),
                        ],
                        default="extracting",
                        max_length=10,
                    ),
                ),
                ("attempt", models.PositiveIntegerField()),
                ("prompt", models.CharField(max_length=20)),
                ("returned_model", models.CharField(blank=True, max_length=200)),
                ("claims", models.TextField(blank=True)),
                ("reply", models.BinaryField(null=True)),
                ("reason", models.CharField(blank=True, max_length=30)),
                ("detail", models.TextField(blank=True)),
                ("started_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "judgement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="extractions",
                        to="verdicts_app.judgement",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=(Q(state="extracted", reply__isnull=False) & ~Q(claims=""))
                        | (~Q(state="extracted") & Q(claims="", reply__isnull=True)),
                        name="an extraction has claims and their reply exactly when extracted",
                    ),
                    models.CheckConstraint(
                        condition=(Q(state="failed") & ~Q(reason=""))
                        | (~Q(state="failed") & Q(reason="")),
                        name="a failed extraction names its reason and no other does",
                    ),
                    models.CheckConstraint(
                        condition=Q(state="extracting", finished_at__isnull=True)
                        | (~Q(state="extracting") & Q(finished_at__isnull=False)),
                        name="an extraction is finished exactly when it has a finishing time",
                    ),
                ],
            },
        ),
    ]
