from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0023_extracted_claims_never_change")]
    operations = [
        migrations.AddField(
            model_name="boardsum",
            name="empty_runs",
            field=models.BigIntegerField(db_default=0, help_text="Runs flagged as an empty answer"),
        ),
        migrations.AddConstraint(
            model_name="boardsum",
            constraint=models.CheckConstraint(
                condition=Q(empty_runs__gte=0, runs__gte=models.F("empty_runs")),
                name="a cell has no more empty runs than runs",
            ),
        ),
    ]
