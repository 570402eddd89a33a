"""SWE-bench instances, protected by the database like revisions: verdicts pin their hashes."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

CHANGES, GOES = "never changes", "never goes"
PROTECTED = {
    "rubrics_app_sweinstance": "an imported instance",
    "rubrics_app_swefunctions": "an imported function index",
}


def on_sqlite(table, subject):
    for event, rule in (("UPDATE", CHANGES), ("DELETE", GOES)):
        yield (
            f'CREATE TRIGGER "{subject} {rule}" BEFORE {event} ON {table} '
            f"BEGIN SELECT RAISE(ABORT, '{subject} {rule}'); END"
        )


def on_postgresql(table, subject):
    """The function is that of 0002."""
    for event, each, rule in (
        ("UPDATE", "ROW", CHANGES),
        ("DELETE", "ROW", GOES),
        ("TRUNCATE", "STATEMENT", f"{GOES} with its table"),
    ):
        yield (
            f'CREATE TRIGGER "{subject} {rule}" BEFORE {event} ON {table} FOR EACH {each} '
            f"EXECUTE FUNCTION rubrics_app_refuse_on_revision('{subject} {rule}')"
        )


def create_triggers(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for table, subject in PROTECTED.items():
        for statement in (on_postgresql if is_postgresql else on_sqlite)(table, subject):
            schema_editor.execute(statement, params=None)


def drop_triggers(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    rules = [CHANGES, GOES, *([f"{GOES} with its table"] if is_postgresql else [])]
    for table, subject in PROTECTED.items():
        on = f" ON {table}" if is_postgresql else ""
        for rule in rules:
            schema_editor.execute(f'DROP TRIGGER "{subject} {rule}"{on}', params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics_app", "0007_ship_patch_rubrics"),
    ]

    operations = [
        migrations.CreateModel(
            name="SweInstance",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("instance_id", models.CharField(max_length=200, unique=True)),
                ("repo", models.CharField(max_length=200)),
                ("base_commit", models.CharField(max_length=64)),
                ("version", models.CharField(blank=True, max_length=50)),
                ("problem_statement", models.TextField(blank=True)),
                ("hints_text", models.TextField(blank=True)),
                ("patch", models.TextField()),
                ("test_patch", models.TextField(blank=True)),
                ("fail_to_pass", models.TextField(default="[]")),
                ("pass_to_pass", models.TextField(default="[]")),
                ("extras", models.TextField(default="{}")),
                ("sha256", models.CharField(max_length=64)),
                ("source", models.CharField(blank=True, max_length=300)),
                (
                    "imported_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "verbose_name": "SWE-bench instance",
                "ordering": ["instance_id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("instance_id", ""), _negated=True),
                            models.Q(("patch", ""), _negated=True),
                        ),
                        name="an instance has an id and a gold patch",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SweFunctions",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("index", models.TextField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "instance",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="functions",
                        to="rubrics_app.sweinstance",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "SWE-bench function indexes",
            },
        ),
        migrations.CreateModel(
            name="SweAlias",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("alias", models.CharField(max_length=200, unique=True)),
                (
                    "instance",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="aliases",
                        to="rubrics_app.sweinstance",
                    ),
                ),
            ],
            options={
                "verbose_name": "SWE-bench alias",
                "verbose_name_plural": "SWE-bench aliases",
                "ordering": ["alias"],
            },
        ),
        migrations.RunPython(create_triggers, drop_triggers),
    ]
