"""The first published revisions: four anchor sets and the rubrics of the solo modes.

Frozen: `seed/*.json` are never edited (a test pins their hashes), and the text that is stored and
hashed is made here, not by code that may change. What exists already is left alone, so that
running again does nothing. Going back leaves the rows: a published revision never goes.
"""

import hashlib
import json
from pathlib import Path

from django.db import migrations

SEED = Path(__file__).resolve().parent.parent / "seed"
NOTE = "shipped with judgeweb"


def canonical(document):
    return json.dumps(document, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def ship_anchor_set(apps, document):
    anchor_set = apps.get_model("rubrics_app", "AnchorSet")
    bands = apps.get_model("rubrics_app", "AnchorBand")
    draft, is_new = anchor_set.objects.get_or_create(
        key=document["name"], defaults={"source": document["source"]}
    )
    if is_new:
        bands.objects.bulk_create(bands(anchor_set=draft, **band) for band in document["bands"])
    publish(apps, "anchor_set", draft.key, document)


def ship_rubric(apps, document):
    rubric = apps.get_model("rubrics_app", "Rubric")
    draft, is_new = rubric.objects.get_or_create(
        key=document["mode"],
        defaults={
            name: document[name] for name in ("name", "mode", "description", "whole_numbers")
        },
    )
    if is_new:
        for position, dimension in enumerate(document["dimensions"], 1):
            ship_dimension(apps, draft, position, dimension)
    publish(apps, "rubric", draft.key, document)


def ship_dimension(apps, rubric, position, document):
    anchor_set = apps.get_model("rubrics_app", "AnchorSet")
    mark = apps.get_model("rubrics_app", "DimensionMark")
    dimension = apps.get_model("rubrics_app", "Dimension").objects.create(
        rubric=rubric,
        position=position,
        anchor_set=anchor_set.objects.filter(key=document["anchors"]).first(),
        **{name: document[name] for name in ("key", "label", "weight", "criteria")},
    )
    mark.objects.bulk_create(
        mark(dimension=dimension, position=place, **values)
        for place, values in enumerate(document["marks"], 1)
    )


def publish(apps, kind, key, document):
    revision = apps.get_model("rubrics_app", "Revision")
    if revision.objects.filter(kind=kind, key=key).exists():
        return
    text = canonical(document)
    revision.objects.create(
        kind=kind,
        key=key,
        number=1,
        document=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        note=NOTE,
    )


def ship(apps, schema_editor):
    for document in json.loads((SEED / "anchors.json").read_text(encoding="utf-8")):
        ship_anchor_set(apps, document)
    for document in json.loads((SEED / "rubrics.json").read_text(encoding="utf-8")):
        ship_rubric(apps, document)


class Migration(migrations.Migration):
    dependencies = [("rubrics_app", "0002_revisions_never_change")]
    operations = [migrations.RunPython(ship, migrations.RunPython.noop)]
