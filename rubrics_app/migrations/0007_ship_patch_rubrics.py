"""The first published revisions of the rubrics for patches.

Frozen like 0003: `seed/patches.json` is never edited. What exists already is left alone. Going
back leaves the rows: a published revision never goes.
"""

import hashlib
import json
from pathlib import Path

from django.db import migrations

SEED = Path(__file__).resolve().parent.parent / "seed"
NOTE = "shipped with judgeweb"


def ship_one(apps, document):
    rubrics = apps.get_model("rubrics_app", "Rubric")
    dimensions = apps.get_model("rubrics_app", "Dimension")
    revisions = apps.get_model("rubrics_app", "Revision")
    key = document["mode"]
    draft, is_new = rubrics.objects.get_or_create(
        key=key,
        defaults={
            name: document[name] for name in ("name", "mode", "description", "whole_numbers")
        },
    )
    if is_new:
        dimensions.objects.bulk_create(
            dimensions(
                rubric=draft,
                position=position,
                **{name: values[name] for name in ("key", "label", "weight", "criteria")},
            )
            for position, values in enumerate(document["dimensions"], 1)
        )
    if not revisions.objects.filter(kind="rubric", key=key).exists():
        text = json.dumps(document, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        revisions.objects.create(
            kind="rubric",
            key=key,
            number=1,
            document=text,
            sha256=hashlib.sha256(text.encode()).hexdigest(),
            note=NOTE,
        )


def ship(apps, schema_editor):
    for document in json.loads((SEED / "patches.json").read_text(encoding="utf-8")):
        ship_one(apps, document)


class Migration(migrations.Migration):
    dependencies = [("rubrics_app", "0006_ship_comparison_rubrics")]
    operations = [migrations.RunPython(ship, migrations.RunPython.noop)]
