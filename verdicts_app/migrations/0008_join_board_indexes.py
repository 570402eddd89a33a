from django.db import migrations


class Migration(migrations.Migration):
    """Two lines of work came together: indexes of the boards, and captured calls."""

    dependencies = [
        ("verdicts_app", "0005_board_indexes"),
        ("verdicts_app", "0007_judgements_pin_contracts"),
    ]
    operations = []
