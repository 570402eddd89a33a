from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0017_add_up_calls")]
    operations = [
        migrations.AddConstraint(
            model_name="judgement",
            constraint=models.CheckConstraint(
                condition=Q(capture__isnull=True, call_type="")
                | (Q(capture__isnull=False) & ~Q(call_type="")),
                name="a judgement of a captured call names its call type",
            ),
        ),
    ]
