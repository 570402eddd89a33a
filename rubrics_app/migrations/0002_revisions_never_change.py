"""Published revisions are protected by the database, whoever writes to it.

A later migration that makes SQLite rebuild the table (AlterField and the like) drops its triggers:
it must run `create_triggers` again.
"""

from django.db import migrations

CHANGES = "a published revision never changes"
GOES = "a published revision never goes"

# The driver takes one statement at a time.
SQLITE = [
    f"""CREATE TRIGGER "{CHANGES}" BEFORE UPDATE ON rubrics_app_revision
    BEGIN SELECT RAISE(ABORT, '{CHANGES}'); END""",
    f"""CREATE TRIGGER "{GOES}" BEFORE DELETE ON rubrics_app_revision
    BEGIN SELECT RAISE(ABORT, '{GOES}'); END""",
]

POSTGRESQL = f"""
CREATE FUNCTION rubrics_app_refuse_on_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER "{CHANGES}" BEFORE UPDATE ON rubrics_app_revision
FOR EACH ROW EXECUTE FUNCTION rubrics_app_refuse_on_revision('{CHANGES}');
CREATE TRIGGER "{GOES}" BEFORE DELETE ON rubrics_app_revision
FOR EACH ROW EXECUTE FUNCTION rubrics_app_refuse_on_revision('{GOES}');
CREATE TRIGGER "{GOES} with its table" BEFORE TRUNCATE ON rubrics_app_revision
FOR EACH STATEMENT EXECUTE FUNCTION rubrics_app_refuse_on_revision('{GOES}');
"""

DROP_SQLITE = [f'DROP TRIGGER "{CHANGES}"', f'DROP TRIGGER "{GOES}"']
DROP_POSTGRESQL = f"""
DROP TRIGGER "{CHANGES}" ON rubrics_app_revision;
DROP TRIGGER "{GOES}" ON rubrics_app_revision;
DROP TRIGGER "{GOES} with its table" ON rubrics_app_revision;
DROP FUNCTION rubrics_app_refuse_on_revision();
"""


def _run(schema_editor, *, sqlite, postgresql):
    statements = [postgresql] if schema_editor.connection.vendor == "postgresql" else sqlite
    for statement in statements:
        schema_editor.execute(statement, params=None)


def create_triggers(apps, schema_editor):
    _run(schema_editor, sqlite=SQLITE, postgresql=POSTGRESQL)


def drop_triggers(apps, schema_editor):
    _run(schema_editor, sqlite=DROP_SQLITE, postgresql=DROP_POSTGRESQL)


class Migration(migrations.Migration):
    dependencies = [("rubrics_app", "0001_initial")]
    operations = [migrations.RunPython(create_triggers, drop_triggers)]
