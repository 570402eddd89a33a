"""Verdicts and the ledger are protected by the database, whoever writes to it.

A later migration that makes SQLite rebuild one of these tables (AlterField and the like) drops
its triggers: it must run `create_triggers` again.
"""

from django.db import migrations

VERDICT, MARK, FINDING, LEDGER = (
    f"verdicts_app_{name}" for name in ("verdict", "verdictmark", "verdictfinding", "ledgerentry")
)

VERDICT_COLUMNS = [
    "id",
    "judgement_id",
    "identity",
    "board_key",
    "mode",
    "epoch_id",
    "origin",
    "run_id",
    "response_id",
    "persona_id",
    "scenario_id",
    "repeat",
    "answered_at",
    "total_nano",
    "without_persona_nano",
    "total_exact",
    "detail",
    "flags",
    "response_characters",
    "cost_nano_usd",
    "input_tokens",
    "output_tokens",
    "latency_ms",
    "judged_at",
]
"""All but `superseded_at` and `on_board`."""


def any_changed(columns, differs):
    return " OR ".join(f'OLD."{column}" {differs} NEW."{column}"' for column in columns)


# Name and message, table, event, condition (with {differs} for the NULL-safe comparison).
TRIGGERS = [
    (
        "a verdict never changes but for leaving the boards",
        VERDICT,
        "UPDATE",
        lambda differs: any_changed(VERDICT_COLUMNS, differs),
    ),
    (
        "a superseded verdict never comes back",
        VERDICT,
        "UPDATE",
        lambda differs: (
            f"OLD.superseded_at IS NOT NULL AND OLD.superseded_at {differs} NEW.superseded_at"
        ),
    ),
    ("a verdict never goes", VERDICT, "DELETE", None),
    ("a mark never changes", MARK, "UPDATE", None),
    ("a mark never goes", MARK, "DELETE", None),
    ("a finding never changes", FINDING, "UPDATE", None),
    ("a finding never goes", FINDING, "DELETE", None),
    (
        "a request that was answered or failed never changes",
        LEDGER,
        "UPDATE",
        lambda differs: "OLD.state IN ('answered', 'failed')",
    ),
    ("a request never goes", LEDGER, "DELETE", None),
]

REFUSE = """CREATE FUNCTION verdicts_app_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$"""


def on_sqlite(name, table, event, condition):
    when = f"WHEN {condition('IS NOT')}" if condition else ""
    return [
        f'CREATE TRIGGER "{name}" BEFORE {event} ON {table} {when} '
        f"BEGIN SELECT RAISE(ABORT, '{name}'); END"
    ]


def on_postgresql(name, table, event, condition):
    when = f"WHEN ({condition('IS DISTINCT FROM')})" if condition else ""
    statements = [
        f'CREATE TRIGGER "{name}" BEFORE {event} ON {table} FOR EACH ROW {when} '
        f"EXECUTE FUNCTION verdicts_app_refuse('{name}')"
    ]
    if event == "DELETE":
        statements.append(
            f'CREATE TRIGGER "{name} with its table" BEFORE TRUNCATE ON {table} '
            f"FOR EACH STATEMENT EXECUTE FUNCTION verdicts_app_refuse('{name}')"
        )
    return statements


def create_triggers(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    if postgresql:
        schema_editor.execute(REFUSE, params=None)
    for trigger in TRIGGERS:
        for statement in on_postgresql(*trigger) if postgresql else on_sqlite(*trigger):
            schema_editor.execute(statement, params=None)


def drop_triggers(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for name, table, event, _ in TRIGGERS:
        on = f" ON {table}" if postgresql else ""
        schema_editor.execute(f'DROP TRIGGER "{name}"{on}', params=None)
        if postgresql and event == "DELETE":
            schema_editor.execute(f'DROP TRIGGER "{name} with its table"{on}', params=None)
    if postgresql:
        schema_editor.execute("DROP FUNCTION verdicts_app_refuse()", params=None)


class Migration(migrations.Migration):
    dependencies = [("verdicts_app", "0002_leases_lost_and_money_committed")]
    operations = [migrations.RunPython(create_triggers, drop_triggers)]
