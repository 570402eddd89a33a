"""Snapshots of rubric drafts: a kind of revision more. Choices are no part of the table."""

from django.db import migrations, models

KINDS = [
    ("rubric", "Rubric"),
    ("anchor_set", "anchor set"),
    ("scenario", "Scenario"),
    ("gold", "gold standard"),
    ("contract", "Contract"),
    ("trial", "trial of a rubric"),
]


class Migration(migrations.Migration):
    dependencies = [("rubrics_app", "0008_swebench_instances")]
    operations = [
        migrations.AlterField("revision", "kind", models.CharField(choices=KINDS, max_length=20)),
    ]
