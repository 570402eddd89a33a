"""The triggers of 0003 and 0007 for what 0009 added, and what a constraint cannot say: a pair
answers one scenario."""

from importlib import import_module

from django.db import migrations

frozen = import_module("verdicts_app.migrations.0003_verdicts_never_change")
checks = import_module("verdicts_app.migrations.0007_checks_never_change")
pairs = import_module("verdicts_app.migrations.0011_pairs_and_relays")

CONTESTANT, PAIR, CHAIN = (
    f"verdicts_app_{name}" for name in ("verdictcontestant", "pair", "chain")
)
VERDICT_COLUMNS = [
    *checks.VERDICT_COLUMNS,
    "pair_id",
    "chain_id",
    "decision",
    "rating",
    "gold_answer_id",
]
CHANGED = (*checks.AFTER[:3], lambda differs: frozen.any_changed(VERDICT_COLUMNS, differs))
TRIGGERS = [CHANGED, *pairs.TRIGGERS[1:]]
NEW = [
    ("a contestant never changes", CONTESTANT, "UPDATE", None),
    ("a contestant never goes", CONTESTANT, "DELETE", None),
    ("a pair never changes", PAIR, "UPDATE", None),
    ("a relay never changes", CHAIN, "UPDATE", None),
]
ONE_SCENARIO = "a pair answers one scenario"
DIFFERENT = """
(SELECT scenario_key FROM verdicts_app_response WHERE id = NEW.first_id)
<> (SELECT scenario_key FROM verdicts_app_response WHERE id = NEW.second_id)
"""
ON_SQLITE = f"""
CREATE TRIGGER "{ONE_SCENARIO}" BEFORE INSERT ON {PAIR} WHEN {DIFFERENT}
BEGIN SELECT RAISE(ABORT, '{ONE_SCENARIO}'); END
"""
ON_POSTGRESQL = [
    f"""
CREATE FUNCTION verdicts_app_one_scenario() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF {DIFFERENT} THEN
        RAISE EXCEPTION '{ONE_SCENARIO}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$
""",
    f"""
CREATE TRIGGER "{ONE_SCENARIO}" BEFORE INSERT ON {PAIR} FOR EACH ROW
EXECUTE FUNCTION verdicts_app_one_scenario()
""",
]


def is_postgresql(schema_editor):
    return schema_editor.connection.vendor == "postgresql"


def drop(schema_editor, name, table, event):
    """If it is there: SQLite has lost those of the tables that 0009 built anew."""
    postgresql = is_postgresql(schema_editor)
    on = f" ON {table}" if postgresql else ""
    schema_editor.execute(f'DROP TRIGGER IF EXISTS "{name}"{on}', params=None)
    if postgresql and event == "DELETE":
        schema_editor.execute(f'DROP TRIGGER IF EXISTS "{name} with its table"{on}', params=None)


def replace(schema_editor, old, new):
    for trigger in old:
        drop(schema_editor, *trigger[:3])
    for trigger in new:
        checks.create(schema_editor, trigger)


def forwards(apps, schema_editor):
    replace(schema_editor, pairs.TRIGGERS, [*TRIGGERS, *NEW])
    for statement in ON_POSTGRESQL if is_postgresql(schema_editor) else [ON_SQLITE]:
        schema_editor.execute(statement, params=None)


def backwards(apps, schema_editor):
    replace(schema_editor, [*TRIGGERS, *NEW], pairs.TRIGGERS)
    drop(schema_editor, ONE_SCENARIO, PAIR, "INSERT")
    if is_postgresql(schema_editor):
        schema_editor.execute("DROP FUNCTION verdicts_app_one_scenario()", params=None)


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0011_pairs_and_relays")]
    operations = [migrations.RunPython(forwards, backwards)]
