"""Claims that verdicts were matched against are protected as the verdicts are."""

from importlib import import_module

from django.db import migrations

frozen = import_module("verdicts_app.migrations.0003_verdicts_never_change")

EXTRACTION = "verdicts_app_extraction"
TRIGGERS = [
    (
        "claims that were extracted never change",
        EXTRACTION,
        "UPDATE",
        lambda differs: "OLD.state = 'extracted'",
    ),
    ("an extraction never goes", EXTRACTION, "DELETE", None),
]


def create_triggers(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for trigger in TRIGGERS:
        for statement in (frozen.on_postgresql if postgresql else frozen.on_sqlite)(*trigger):
            schema_editor.execute(statement, params=None)


def drop_triggers(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    on = f" ON {EXTRACTION}" if postgresql else ""
    for name, _, event, _ in TRIGGERS:
        schema_editor.execute(f'DROP TRIGGER "{name}"{on}', params=None)
        if postgresql and event == "DELETE":
            schema_editor.execute(f'DROP TRIGGER "{name} with its table"{on}', params=None)


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0022_extractions")]
    operations = [migrations.RunPython(create_triggers, drop_triggers)]
