import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics_app", "0003_ship_first_rubrics"),
        ("verdicts_app", "0007_checks_never_change"),
    ]

    operations = [
        migrations.AddField(
            model_name="judgement",
            name="contract_revision",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="rubrics_app.revision",
            ),
        ),
    ]
