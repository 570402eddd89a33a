"""The five roles as groups, so that a fresh installation can give them."""

from django.db import migrations

ROLES = ["viewer", "reviewer", "author", "operator", "admin"]


def create_groups(apps, schema_editor):
    group = apps.get_model("auth", "Group")
    for name in ROLES:
        group.objects.get_or_create(name=name)


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    # Backwards the groups stay: users may hold them.
    operations = [migrations.RunPython(create_groups, migrations.RunPython.noop)]
