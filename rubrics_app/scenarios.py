"""Saving whole documents as drafts: importers, API, sample data and inline requests."""

import json
from collections.abc import Sequence, Set
from enum import StrEnum
from typing import NamedTuple, TypeVar

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model

from judgeweb.access import audit
from judgeweb.judging.documents import (
    Document,
    GoldDocument,
    ScenarioDocument,
    canonical_json,
    load_document,
)
from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.text import visible
from rubrics_app.lint import name_problems
from rubrics_app.models import (
    ChecklistEntry,
    Draft,
    GoldStandard,
    ItemList,
    Revision,
    Scenario,
    ScenarioFile,
)
from rubrics_app.models.details import details_text
from rubrics_app.publishing import document_of, plain, raise_version
from rubrics_app.publishing import publish as publish_draft

D = TypeVar("D", bound=Document)


OTHER_ROWS = frozenset({"scenario", "rubric", "dimension", "anchor_set", "updated_by"})


class Change(StrEnum):
    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


class SavedScenario(NamedTuple):
    scenario: Scenario
    revision: Revision | None
    change: Change


class SavedGold(NamedTuple):
    gold: GoldStandard
    revision: Revision | None
    change: Change


def inline_key(sha256: str) -> str:
    """The key of a task that came with a judgement request: one per content."""
    return f"inline-{sha256[:12]}"


def storable(document: D) -> D:
    """PostgreSQL cannot hold NUL: it stands in drafts and revisions as a visible escape."""
    text = canonical_json(document)
    if "\\u0000" not in text:
        return document
    return load_document(type(document), _visible(json.loads(text)))


def _visible(value: object) -> object:
    if isinstance(value, str):
        return visible(value)[0]
    if isinstance(value, list):
        return [_visible(item) for item in value]
    if isinstance(value, dict):
        return {key: _visible(item) for key, item in value.items()}
    return value


@transaction.atomic
def save_scenario(
    document: ScenarioDocument,
    *,
    user: User | None,
    actor: str = "",
    is_inline: bool = False,
    is_sample: bool = False,
    publish: bool = True,
    note: str = "",
) -> SavedScenario:
    """Make the draft named `document.name` equal to the document, and publish it if asked.

    Raise DocumentInvalid where it must not be published; then nothing is written.
    """
    document = storable(document)
    if problems := list(name_problems(document)):
        raise DocumentInvalid([(problem.place, problem.message) for problem in problems])
    check_columns([Scenario(key=document.name, challenge=document.challenge)], {"challenge"})
    scenario, is_new = Scenario.objects.select_for_update().get_or_create(
        key=document.name,
        defaults={
            "challenge": document.challenge,
            "is_inline": is_inline,
            "is_sample": is_sample,
            "updated_by": user,
        },
    )
    change = Change.CREATED if is_new else Change.CHANGED
    if document_of(scenario) == document:
        change = Change.CREATED if is_new else Change.UNCHANGED
    else:
        _write_scenario(scenario, document, user=user, is_new=is_new)
    actor = actor or name_of(user)
    record_change(actor, change, scenario)
    revision = publish_draft(scenario, user=user, note=note, actor=actor) if publish else None
    return SavedScenario(scenario, revision, change)


def _write_scenario(
    scenario: Scenario,
    document: ScenarioDocument,
    *,
    user: User | None,
    is_new: bool,
) -> None:
    for name in ("title", "category", "difficulty", "family", "challenge", "context", "extras"):
        setattr(scenario, name, getattr(document, name))
    scenario.version_label = document.version
    files, entries = _files(scenario, document), _entries(scenario, document)
    check_columns([scenario, *files, *entries])
    scenario.save()
    scenario.files.all().delete()
    scenario.items.all().delete()
    ScenarioFile.objects.bulk_create(files)
    ChecklistEntry.objects.bulk_create(entries)
    if not is_new:
        raise_version(scenario, user=user)


def check_columns(rows: Sequence[Model], left_out: Set[str] = frozenset()) -> None:
    """Raise DocumentInvalid for what a column cannot hold, with the row's name."""
    problems, values = [], {}
    for row in rows:
        try:
            row.clean_fields(exclude=OTHER_ROWS | left_out)
        except ValidationError as error:
            for field, messages in error.message_dict.items():
                place = f"{str(row)[:60]}.{field}" if row is not rows[0] else field
                problems.append((place, " ".join(messages)))
                values[place] = getattr(row, field)
    if problems:
        raise DocumentInvalid(problems, values)


def _files(scenario: Scenario, document: ScenarioDocument) -> list[ScenarioFile]:
    return [
        ScenarioFile(scenario=scenario, position=position, **file.model_dump())
        for position, file in enumerate(document.files, 1)
    ]


def _entries(scenario: Scenario, document: ScenarioDocument) -> list[ChecklistEntry]:
    items = [(name, item) for name in ItemList.values for item in getattr(document, name)]
    return [
        ChecklistEntry(
            scenario=scenario,
            position=position,
            list_name=name,
            item_id=item.id,
            category=item.category,
            description=item.description,
            details=details_text(item.details),
        )
        for position, (name, item) in enumerate(items, 1)
    ]


@transaction.atomic
def save_gold(
    document: GoldDocument,
    *,
    user: User | None,
    actor: str = "",
    publish: bool = True,
    note: str = "",
) -> SavedGold:
    """Make the gold standard of the scenario `document.scenario` equal to the document.

    Raise DocumentInvalid where the scenario is not known.
    """
    document = storable(document)
    scenario = Scenario.objects.select_for_update().filter(key=document.scenario).first()
    if scenario is None:
        key = document.scenario
        raise DocumentInvalid(
            [("scenario", f"no scenario {key!r} is known")], values={"scenario": key}
        )
    values = {
        "response": document.response,
        "score": plain(document.score),
        "graded_by": document.graded_by,
        "notes": document.notes,
        "show_score": document.show_score,
    }
    gold, is_new = GoldStandard.objects.select_for_update().get_or_create(
        scenario=scenario, defaults={"key": scenario.key, "updated_by": user, **values}
    )
    change = Change.CREATED if is_new else Change.UNCHANGED
    if not is_new and document_of(gold) != document:
        change = Change.CHANGED
        for name, value in values.items():
            setattr(gold, name, value)
        gold.save()
        raise_version(gold, user=user)
    actor = actor or name_of(user)
    record_change(actor, change, gold)
    revision = publish_draft(gold, user=user, note=note, actor=actor) if publish else None
    return SavedGold(gold, revision, change)


def name_of(user: User | None) -> str:
    return user.get_username() if user else "system"


def record_change(actor: str, change: Change, draft: Draft) -> None:
    if change is not Change.UNCHANGED:
        verb = "create" if change is Change.CREATED else "change"
        audit.record(actor=actor, action=f"{verb} {draft.kind.label.lower()}", target=draft.key)
