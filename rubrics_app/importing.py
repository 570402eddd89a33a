"""Importing scenario files: each wholly or not at all, with a report a file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from judgeweb.judging.documents import GoldDocument, ScenarioDocument
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.importers import FileRefused, Note, scenario_from
from rubrics_app.lint import lint
from rubrics_app.scenarios import Change, save_gold, save_scenario

SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class FileReport:
    """What became of a file. `outcome` is read, warned (read, with notes) or refused."""

    source: str
    key: str = ""
    change: str = ""
    revision: int | None = None
    gold: str = ""
    notes: tuple[Note, ...] = ()
    refusal: Note | None = None

    @property
    def outcome(self) -> str:
        if self.refusal:
            return "refused"
        return "warned" if self.notes else "read"

    def as_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "outcome": self.outcome,
            "scenario": self.key,
            "change": self.change,
            "revision": self.revision,
            "gold_standard": self.gold,
            "warnings": [_as_dict(note) for note in self.notes],
            "refusal": _as_dict(self.refusal) if self.refusal else None,
        }


def _as_dict(note: Note) -> dict[str, Any]:
    return {"place": note.place, "line": note.line, "message": note.message}


@dataclass(frozen=True)
class Importer:
    """Who imports, and how. A dry run does everything and takes it back."""

    user: User | None
    actor: str
    publish: bool = True
    dry_run: bool = False

    def take_files(self, paths: Iterable[Path]) -> Iterator[FileReport]:
        """Import files and the scenario files below folders, in order of their paths."""
        sources: dict[str, str] = {}
        for path in paths:
            for file in files_below(path):
                report = self.take_file(file, sources)
                if not report.refusal:
                    sources[report.key] = report.source
                yield report

    def take_file(self, path: Path, sources: dict[str, str]) -> FileReport:
        """Import one file. `sources` names the files that scenarios of this import came from."""
        try:
            content = path.read_bytes()
        except OSError as error:
            return FileReport(str(path), refusal=Note("", f"cannot be read: {error.strerror}"))
        return self.take(content, source=str(path), sources=sources)

    def take(
        self, content: bytes, *, source: str, sources: dict[str, str] | None = None
    ) -> FileReport:
        """Import one document."""
        try:
            reading = scenario_from(content)
            first = (sources or {}).get(reading.document.name)
            if first:
                raise FileRefused(
                    "name", f"{reading.document.name!r} was already read from {first}"
                )
            report = self._save(reading.document, reading.gold, source=source)
        except FileRefused as refusal:
            return FileReport(source, refusal=refusal.note)
        except DocumentInvalid as error:
            place, message = error.problems[0]
            more = len(error.problems) - 1
            said = f"{message} (and {more} more)" if more else message
            return FileReport(source, refusal=Note(place, said))
        linted = tuple(Note(p.place, p.message) for p in lint(reading.document))
        return replace(report, notes=reading.notes + linted)

    @transaction.atomic
    def _save(
        self, document: ScenarioDocument, gold: GoldDocument | None, *, source: str
    ) -> FileReport:
        note = f"imported from {Path(source).name}"
        saved = save_scenario(
            document, user=self.user, actor=self.actor, publish=self.publish, note=note
        )
        gold_change = ""
        if gold:
            gold_change = save_gold(
                gold, user=self.user, actor=self.actor, publish=self.publish, note=note
            ).change.value
        if self.dry_run:
            transaction.set_rollback(True)
        return FileReport(
            source,
            key=document.name,
            change=saved.change.value,
            revision=saved.revision.number if saved.revision else None,
            gold=gold_change,
        )


def files_below(path: Path) -> Iterator[Path]:
    """The path itself, or every scenario file below a folder."""
    if not path.is_dir():
        yield path
        return
    yield from sorted(
        file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file()
    )


def counts(reports: Iterable[FileReport]) -> dict[str, int]:
    """How many files were read, warned and refused, and how many changed something."""
    numbers = {"read": 0, "warned": 0, "refused": 0, **{c.value: 0 for c in Change}}
    for report in reports:
        numbers[report.outcome] += 1
        if report.change:
            numbers[report.change] += 1
    return numbers
