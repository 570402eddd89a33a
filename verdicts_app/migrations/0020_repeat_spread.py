from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0019_live_calibrations")]
    operations = [
        migrations.AddField(
            model_name="boardsum",
            name="repeated_runs",
            field=models.BigIntegerField(
                db_default=0, help_text="Runs with two valid repeats or more"
            ),
        ),
        migrations.AddField(
            model_name="boardsum",
            name="spread",
            field=models.BigIntegerField(db_default=0),
        ),
        migrations.AddConstraint(
            model_name="boardsum",
            constraint=models.CheckConstraint(
                condition=Q(repeated_runs__gte=0, runs__gte=models.F("repeated_runs"))
                & (Q(spread=0) | Q(spread__gt=0, repeated_runs__gt=0)),
                name="only repeated runs of a cell have a spread",
            ),
        ),
    ]
