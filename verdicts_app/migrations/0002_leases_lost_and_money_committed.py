from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0001_initial")]
    operations = [
        migrations.AddField(
            model_name="job",
            name="committed_nano_usd",
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="judgement",
            name="lost",
            field=models.PositiveSmallIntegerField(default=0),
        ),
    ]
