"""Trials: verdicts of an origin of their own, on no board and in no run."""

from django.db import migrations, models
from django.db.models import Q

ORIGIN = models.CharField(
    choices=[
        ("judged", "Judged"),
        ("sample", "Sample"),
        ("stand_in", "stand-in"),
        ("imported", "Imported"),
        ("trial", "Trial"),
    ],
    max_length=10,
)
SENTENCE = "a trial is on no board and in no run"


class AddConstraintUnderTriggers(migrations.AddConstraint):
    """SQLite builds the table anew for a constraint, without its triggers: they are made again as
    they were."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        triggers = self._triggers(app_label, schema_editor)
        super().database_forwards(app_label, schema_editor, from_state, to_state)
        self._make_again(schema_editor, triggers)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        triggers = self._triggers(app_label, schema_editor)
        super().database_backwards(app_label, schema_editor, from_state, to_state)
        self._make_again(schema_editor, triggers)

    def _triggers(self, app_label, schema_editor):
        if schema_editor.connection.vendor != "sqlite":
            return []
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(
                "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s",
                [f"{app_label}_{self.model_name}"],
            )
            return [sql for (sql,) in cursor.fetchall()]

    def _make_again(self, schema_editor, triggers):
        for sql in triggers:
            schema_editor.execute(sql, params=None)


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0014_drafted_contracts")]
    operations = [
        migrations.AlterField("epoch", "origin", ORIGIN),
        migrations.AlterField("verdict", "origin", ORIGIN),
        migrations.AlterField("drafting", "origin", ORIGIN),
        AddConstraintUnderTriggers(
            "verdict",
            models.CheckConstraint(
                condition=~Q(origin="trial") | Q(on_board=False, run__isnull=True), name=SENTENCE
            ),
        ),
    ]
