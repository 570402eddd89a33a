"""The first published revisions for relays: two anchor sets, four phase rubrics, coherence.

Compare judges by the rubrics of the solo modes and ships none. Frozen like 0003, whose steps are
used here: `seed/phase_anchors.json` and `seed/comparison_rubrics.json` are never edited. What
exists already is left alone. Going back leaves the rows: a published revision never goes.
"""

import json
from importlib import import_module
from pathlib import Path

from django.db import migrations

SEED = Path(__file__).resolve().parent.parent / "seed"
shipping = import_module("rubrics_app.migrations.0003_ship_first_rubrics")


def ship(apps, schema_editor):
    for document in json.loads((SEED / "phase_anchors.json").read_text(encoding="utf-8")):
        shipping.ship_anchor_set(apps, document)
    for document in json.loads((SEED / "comparison_rubrics.json").read_text(encoding="utf-8")):
        shipping.ship_rubric(apps, document)


class Migration(migrations.Migration):
    dependencies = [("rubrics_app", "0005_ship_calls_rubric")]
    operations = [migrations.RunPython(ship, migrations.RunPython.noop)]
