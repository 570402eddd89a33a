from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0018_judgements_name_their_call_type")]
    operations = [
        migrations.AddIndex(
            model_name="verdict",
            index=models.Index(
                fields=["gold_answer", "epoch", "id"],
                condition=Q(gold_answer__isnull=False, superseded_at__isnull=True),
                name="verdict_live_calibration",
            ),
        ),
    ]
