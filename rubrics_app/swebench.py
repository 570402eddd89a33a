"""SWE-bench data into the installation: instances, their scenarios, function indexes, aliases.

Importing again changes nothing. What is stored never changes: an instance that comes again with
other content is reported, and the first stands.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from judgeweb.access import audit
from judgeweb.judging.documents import ScenarioDocument, digest
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.importers import FileRefused, Note
from rubrics_app.importers.swebench import ReadInstance, functions_from, instances_from
from rubrics_app.models import Scenario, SweAlias, SweFunctions, SweInstance
from rubrics_app.scenarios import save_scenario

CONTENT = (
    "instance_id",
    "repo",
    "base_commit",
    "version",
    "problem_statement",
    "hints_text",
    "patch",
    "test_patch",
    "fail_to_pass",
    "pass_to_pass",
)
"""The columns that make an instance what it is."""


@dataclass
class SweReport:
    """What became of a file. `refusals` were not taken; `notes` are worth knowing."""

    source: str
    created: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    scenarios: list[str] = field(default_factory=list)
    indexes: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    refusals: list[Note] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        if self.refusals:
            return "refused" if not (self.created or self.unchanged or self.indexes) else "warned"
        return "warned" if self.notes else "read"

    def as_dict(self) -> dict[str, Any]:
        lists = ("created", "unchanged", "scenarios", "indexes", "aliases")
        return {
            "source": self.source,
            "outcome": self.outcome,
            **{name: getattr(self, name) for name in lists},
            "warnings": [_as_dict(note) for note in self.notes],
            "refusals": [_as_dict(note) for note in self.refusals],
        }


def _as_dict(note: Note) -> dict[str, Any]:
    return {"place": note.place, "line": note.line, "message": note.message}


@dataclass(frozen=True)
class SweImporter:
    """Who imports, and how. A dry run does everything and takes it back. `with_scenarios` makes a
    scenario of each new instance, named by its id, so that predictions find one."""

    user: User | None
    actor: str
    with_scenarios: bool = True
    dry_run: bool = False

    def take(self, content: bytes, *, source: str) -> SweReport:
        """Every instance that can be taken, in one transaction."""
        report = SweReport(source)
        try:
            with transaction.atomic():
                for read in instances_from(content):
                    self._take(read, report)
                if not (report.created or report.unchanged or report.refusals):
                    report.refusals.append(Note("", "0 instances read"))
                self._finish(report, "import instances", len(report.created))
        except FileRefused as refused:
            return SweReport(source, refusals=[refused.note])
        return report

    def take_functions(self, content: bytes, *, source: str) -> SweReport:
        """Function indexes of known instances. One that came before with other lines stands."""
        report = SweReport(source)
        try:
            indexes = functions_from(content)
        except FileRefused as refused:
            return SweReport(source, refusals=[refused.note])
        with transaction.atomic():
            found = SweInstance.objects.filter(instance_id__in=indexes).select_related("functions")
            known = {one.instance_id: one for one in found}
            for name, text in indexes.items():
                _index(name, known.get(name), text, report)
            self._finish(report, "import function indexes", len(report.indexes))
        return report

    def take_aliases(self, aliases: Mapping[str, str]) -> SweReport:
        """Other names of instances, by instance id."""
        report = SweReport("aliases")
        with transaction.atomic():
            for alias, instance_id in aliases.items():
                instance = SweInstance.objects.filter(instance_id=instance_id).first()
                if instance is None:
                    report.refusals.append(Note(alias, f"there is no instance {instance_id!r}"))
                elif fault := give_alias(alias, instance):
                    report.refusals.append(Note(alias, fault))
                else:
                    report.aliases.append(alias)
            self._finish(report, "name instances", len(report.aliases))
        return report

    def _finish(self, report: SweReport, action: str, number: int) -> None:
        if number:
            audit.record(
                actor=self.actor, action=action, target=report.source, detail=f"{number} new"
            )
        if self.dry_run:
            transaction.set_rollback(True)

    def _take(self, read: ReadInstance | Note, report: SweReport) -> None:
        if isinstance(read, Note):
            report.refusals.append(read)
            return
        sha256 = digest(json.dumps([read.values[name] for name in CONTENT]))
        known = SweInstance.objects.filter(instance_id=read.instance_id).first()
        if known is None:
            instance = SweInstance.objects.create(
                **read.values, sha256=sha256, source=report.source[:300]
            )
            report.created.append(read.instance_id)
            self._name(instance, report)
            if self.with_scenarios:
                self._scenario(instance, report)
        elif known.sha256 == sha256:
            report.unchanged.append(read.instance_id)
        else:
            report.refusals.append(_changed(read, known))

    def _name(self, instance: SweInstance, report: SweReport) -> None:
        """`flask-5014` for `pallets__flask-5014`, where nothing else is called so."""
        _, found, alias = instance.instance_id.partition("__")
        if not found or not alias:
            return
        if fault := give_alias(alias, instance):
            report.notes.append(Note(instance.instance_id, fault))
        else:
            report.aliases.append(alias)

    def _scenario(self, instance: SweInstance, report: SweReport) -> None:
        if Scenario.objects.filter(key=instance.instance_id).exists():
            return
        try:
            with transaction.atomic():
                save_scenario(
                    scenario_of(instance),
                    user=self.user,
                    actor=self.actor,
                    note=f"imported from {report.source}"[:300],
                )
        except DocumentInvalid as error:
            report.notes.append(Note(instance.instance_id, f"no scenario was made: {error}"))
            return
        report.scenarios.append(instance.instance_id)


def _changed(read: ReadInstance, known: SweInstance) -> Note:
    names = [name for name in CONTENT if getattr(known, name) != read.values[name]]
    return Note(
        f"{read.place}, {read.instance_id}",
        f"comes with another {', '.join(names)} than is stored; the first stands",
    )


def scenario_of(instance: SweInstance) -> ScenarioDocument:
    """The issue as a scenario. Its key is the instance's id."""
    title = next((line for line in instance.problem_statement.split("\n") if line.strip()), "")
    source = {
        "benchmark": "swe-bench",
        "instance_id": instance.instance_id,
        "repo": instance.repo,
        "base_commit": instance.base_commit,
    }
    return ScenarioDocument(
        name=instance.instance_id,
        title=title.strip()[:300],
        category="swe-bench",
        challenge=instance.problem_statement,
        extras=json.dumps({"source": source}, sort_keys=True, separators=(",", ":")),
    )


def give_alias(alias: str, instance: SweInstance) -> str:
    """Why the name cannot be given; "" where it is given, or was before."""
    if len(alias) > 200 or not alias.strip():
        return f"the alias {alias[:80]!r} must have 1 to 200 characters"
    if SweInstance.objects.filter(instance_id=alias).exclude(pk=instance.pk).exists():
        return f"{alias!r} is the id of another instance"
    known, _ = SweAlias.objects.get_or_create(alias=alias, defaults={"instance": instance})
    if known.instance_id != instance.pk:
        return f"{alias!r} is an alias of {known.instance}, and no second instance is called so"
    return ""


def _index(name: str, instance: SweInstance | None, text: str, report: SweReport) -> None:
    if instance is None:
        report.notes.append(Note(name, "no such instance: its function index is left out"))
        return
    known = getattr(instance, "functions", None)
    if known is None:
        SweFunctions.objects.create(instance=instance, index=text, sha256=digest(text))
        report.indexes.append(name)
    elif known.sha256 == digest(text):
        report.unchanged.append(name)
    else:
        report.refusals.append(Note(name, "another function index is stored; the first stands"))
