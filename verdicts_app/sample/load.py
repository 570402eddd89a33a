"""Loads the sample data: scenarios, two rubric revisions, ninety days of answers and verdicts.

All or nothing, and once: it is one transaction, and an installation that has sample runs keeps
them. The made-up replies go through the reading and arithmetic of real ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from django.db import transaction

from judgeweb.access import audit
from judgeweb.judging.modes import mode_for, mode_named
from rubrics_app import publishing, selectors
from rubrics_app.importing import Importer
from rubrics_app.models import Dimension, DimensionMark, Revision, RevisionKind, Rubric, Scenario
from verdicts_app.models import Epoch, Origin, Persona, Run, Verdict
from verdicts_app.sample.answers import answer
from verdicts_app.sample.cast import CAST, Actor
from verdicts_app.sample.judging import MODEL
from verdicts_app.sample.rows import Tried, write_run
from verdicts_app.work.identity import EpochPins, epoch_to_plan

SCENARIOS = Path(__file__).parent / "scenarios"
DAYS, STEP, CHANGE_ON = 90, 3, 45
"""A run every third day; from day 45 on the second rubric revision judges."""
MODES = ("checklist", "behaviours")
SHARPER = " It counts as actionable only where the reader could start on it at once."

Epochs = dict[tuple[str, bool], Epoch]


@dataclass(frozen=True)
class Loaded:
    """What is there now. `is_new` is False where it was there before."""

    runs: int
    verdicts: int
    is_new: bool


def load_sample(*, now: datetime) -> Loaded:
    """Load the sample data so that its last run is today's."""
    is_new = not Run.objects.filter(is_sample=True).exists()
    if is_new:
        with transaction.atomic():
            _load(now)
    return Loaded(
        runs=Run.objects.filter(is_sample=True).count(),
        verdicts=Verdict.objects.filter(origin=Origin.SAMPLE).count(),
        is_new=is_new,
    )


def _load(now: datetime) -> None:
    scenarios = [_published(scenario) for scenario in _scenarios()]
    start = now - timedelta(days=DAYS - STEP, hours=2)
    epochs = _epochs(start)
    personas = {actor.spec: _persona(actor) for actor in CAST}
    for day in range(0, DAYS, STEP):
        tried = []
        for actor, (scenario, revision, gold) in _pairs(day, scenarios):
            document = selectors.scenario_document(revision)
            epoch = epochs[mode_for(document), day >= CHANGE_ON]
            said = answer(actor, document, day=day, days=DAYS)
            tried.append(Tried(personas[actor.spec], scenario, revision, gold, epoch, said))
        write_run(start + timedelta(days=day), tried)
    audit.record(actor="command", action="load sample data")


Published = tuple[Scenario, Revision, Revision | None]


def _published(scenario: Scenario) -> Published:
    revision = selectors.newest_revision(RevisionKind.SCENARIO, scenario.key)
    assert revision is not None, f"{scenario.key} was published just now"
    return scenario, revision, selectors.newest_revision(RevisionKind.GOLD, scenario.key)


def _pairs(day: int, scenarios: list[Published]) -> Iterator[tuple[Actor, Published]]:
    """Who answers what on a day: nearly all, with one long gap so that trends show one."""
    for actor in CAST:
        if actor.spec == "foundry:sm" and 27 <= day <= 42:
            continue
        for published in scenarios:
            key = published[0].key
            if Random(f"tried/{day}/{actor.spec}/{key}").random() > 0.04:
                yield actor, published


def _scenarios() -> list[Scenario]:
    reports = list(Importer(user=None, actor="command").take_files([SCENARIOS]))
    refused = [report for report in reports if report.refusal]
    if refused:
        raise RuntimeError(f"a sample scenario was refused: {refused[0]}")
    keys = [report.key for report in reports]
    Scenario.objects.filter(key__in=keys).update(is_sample=True)
    return list(Scenario.objects.filter(key__in=keys).order_by("key"))


def _epochs(start: datetime) -> Epochs:
    """One epoch for each mode and rubric revision, begun when its first verdict was."""
    epochs: Epochs = {}
    for mode in MODES:
        for is_second, revision in enumerate(_rubric_revisions(mode)):
            pins = EpochPins(
                origin=Origin.SAMPLE,
                mode=mode,
                rubric=revision,
                prompt_version=mode_named(mode).prompt_version,
                requested_model=MODEL,
                parameters={"orders": 1},
            )
            epoch = epoch_to_plan(pins)
            epoch.started_at = start + timedelta(days=CHANGE_ON * is_second)
            epoch.returned_model = MODEL
            epoch.save(update_fields=["started_at", "returned_model"])
            epochs[mode, bool(is_second)] = epoch
    return epochs


def _rubric_revisions(mode: str) -> tuple[Revision, Revision]:
    """A copy of the shipped rubric, published, then sharpened in one place and published again."""
    shipped = Rubric.objects.get(key=mode)
    rubric = Rubric.objects.create(
        key=f"sample-{mode}", name=f"Sample: {shipped.name}", mode=mode, description="Sample data"
    )
    for dimension in shipped.dimensions.all():
        marks = list(dimension.marks.all())
        copy = Dimension.objects.create(
            rubric=rubric, **_fields(dimension, "position key label weight criteria anchor_set")
        )
        for mark in marks:
            DimensionMark.objects.create(
                dimension=copy, **_fields(mark, "position key label criteria")
            )
    first = publishing.publish(rubric, user=None, actor="command", note="Sample data")
    quality = rubric.dimensions.get(key="quality")
    quality.criteria += SHARPER
    quality.save()
    second = publishing.publish(rubric, user=None, actor="command", note="Sharper on fixes")
    return first, second


def _fields(row: Dimension | DimensionMark, names: str) -> dict[str, object]:
    return {name: getattr(row, name) for name in names.split()}


def _persona(actor: Actor) -> Persona:
    theme, role = actor.spec.split(":")
    return Persona.objects.get_or_create(
        spec=actor.spec,
        defaults={
            "theme": theme,
            "role": role,
            "character": actor.character,
            "is_control": theme == "control",
        },
    )[0]
