"""The triggers of 0003 for what 0005 added: a verdict's capture and decision, and its checks."""

from importlib import import_module

from django.db import migrations

frozen = import_module("verdicts_app.migrations.0003_verdicts_never_change")

CHECK = "verdicts_app_verdictcheck"
VERDICT_COLUMNS = [*frozen.VERDICT_COLUMNS, "capture_id", "passed"]
BEFORE = frozen.TRIGGERS[0]
AFTER = (*BEFORE[:3], lambda differs: frozen.any_changed(VERDICT_COLUMNS, differs))
NEW = [
    ("a check never changes", CHECK, "UPDATE", None),
    ("a check never goes", CHECK, "DELETE", None),
]


def create(schema_editor, trigger):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in (frozen.on_postgresql if postgresql else frozen.on_sqlite)(*trigger):
        schema_editor.execute(statement, params=None)


def drop(schema_editor, name, table, event):
    postgresql = schema_editor.connection.vendor == "postgresql"
    on = f" ON {table}" if postgresql else ""
    schema_editor.execute(f'DROP TRIGGER "{name}"{on}', params=None)
    if postgresql and event == "DELETE":
        schema_editor.execute(f'DROP TRIGGER "{name} with its table"{on}', params=None)


def forwards(apps, schema_editor):
    drop(schema_editor, *BEFORE[:3])
    for trigger in [AFTER, *NEW]:
        create(schema_editor, trigger)


def backwards(apps, schema_editor):
    for trigger in [AFTER, *NEW]:
        drop(schema_editor, *trigger[:3])
    create(schema_editor, BEFORE)


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0006_captured_calls")]
    operations = [migrations.RunPython(forwards, backwards)]
