"""The task that comes with a request: it becomes an inline scenario, its gold standard the
calibration anchor. The same task asked for again is the same scenario."""

import json
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from judgeweb.judging.documents import GoldDocument, ScenarioDocument, canonical_json, digest
from judgeweb.judging.errors import CaseRefused
from rubrics_app.importers import FileRefused, Note
from rubrics_app.importers.json_tree import read_json
from rubrics_app.importers.scenario import read_scenario
from rubrics_app.models import Scenario
from rubrics_app.scenarios import inline_key, save_gold, save_scenario
from verdicts_app.intake import fields
from verdicts_app.intake.fields import ABSENT
from verdicts_app.intake.judgement_data.checks import LISTS
from verdicts_app.intake.shapes import one_line

TASK = ("code", *LISTS, *LISTS.values(), "gold_standard")
"""What may stand beside the challenge."""
PLACEHOLDER = "inline"


def inline_scenario(
    data: Mapping[str, Any], challenge: str, *, user: User | None, actor: str
) -> Scenario:
    """From the field `challenge` and what of TASK stands beside it. Raise CaseRefused, naming the
    field, with nothing stored."""
    document, gold = _documents(data, challenge)
    scenario = save_scenario(document, user=user, actor=actor, is_inline=True).scenario
    if gold:
        save_gold(gold, user=user, actor=actor)
    return scenario


def _documents(
    data: Mapping[str, Any], challenge: str
) -> tuple[ScenarioDocument, GoldDocument | None]:
    """The inline scenario and its gold standard, read as a scenario file is."""
    file = {
        "name": PLACEHOLDER,
        "title": one_line(data[challenge], most=120),
        "prompt": data[challenge],
        **{key: data[key] for key in TASK if data.get(key) is not None},
    }
    notes: list[Note] = []
    try:
        reading = read_scenario(read_json(json.dumps(file), notes), notes)
    except FileRefused as refused:
        place = challenge if refused.note.place == "prompt" else refused.note.place or "data"
        raise CaseRefused(place, refused.note.message, _at(data, place)) from refused
    for name in LISTS:
        if data.get(name) is not None and not getattr(reading.document, name):
            raise CaseRefused(name, "empty: a checklist needs at least one item", data[name])
    return _named(reading.document, reading.gold)


def _at(data: Mapping[str, Any], place: str) -> Any:
    """What stands at a place like "gold_standard.score"; None where that is no plain path."""
    value = fields.first(data, place)[1]
    return None if value is ABSENT else value


def _named(
    document: ScenarioDocument, gold: GoldDocument | None
) -> tuple[ScenarioDocument, GoldDocument | None]:
    """By content, the gold standard's included: the same task with another anchor is another
    inline scenario, so that neither request changes what the other is judged with."""
    texts = [canonical_json(part) for part in (document, gold) if part is not None]
    key = inline_key(digest("\n".join(texts)))
    named = gold.model_copy(update={"scenario": key}) if gold else None
    return document.model_copy(update={"name": key}), named
