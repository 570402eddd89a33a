from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0004_response_flags")]
    operations = [
        migrations.RemoveIndex(model_name="judgement", name="judgement_unjudged"),
        migrations.RemoveIndex(model_name="verdict", name="verdict_board"),
        migrations.AddIndex(
            model_name="judgement",
            index=models.Index(fields=["epoch", "state", "response"], name="judgement_epoch_state"),
        ),
        migrations.AddIndex(
            model_name="response",
            index=models.Index(fields=["outcome", "persona", "scenario"], name="response_outcome"),
        ),
        migrations.AddIndex(
            model_name="verdict",
            index=models.Index(
                fields=[
                    "epoch",
                    "persona",
                    "scenario",
                    "total_nano",
                    "without_persona_nano",
                    "cost_nano_usd",
                    "answered_at",
                    "repeat",
                    "on_board",
                ],
                condition=Q(on_board=True),
                name="verdict_board",
            ),
        ),
        migrations.AddIndex(
            model_name="verdict",
            index=models.Index(
                fields=["epoch", "-id"], condition=Q(on_board=True), name="verdict_newest"
            ),
        ),
    ]
