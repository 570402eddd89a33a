"""import_swebench FILE...: SWE-bench instances, function indexes and aliases."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rubrics_app.hub import HubRefused, files_of
from rubrics_app.importers import Note
from rubrics_app.swebench import SweImporter, SweReport

BAD_ARGUMENTS = 2


class Command(BaseCommand):
    help = (
        "Import SWE-bench instances as published (JSON, JSON lines, Parquet; plain or gzip). Each "
        "becomes a scenario named by its id. Importing again changes nothing; an instance that "
        "comes with other content is reported, and the first stands. Exit code 1 where something "
        "was refused, 2 for bad arguments."
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
        parser.add_argument(
            "--hub", metavar="NAME", help="a data set of the Hugging Face hub (huggingface_hub)"
        )
        parser.add_argument(
            "--split",
            action="append",
            default=[],
            help="of --hub; may be repeated; default: test",
        )
        parser.add_argument(
            "--function-index",
            type=Path,
            metavar="FILE",
            help="JSON: {instance id: {path: [[kind, name, first line, last line], ...]}}",
        )
        parser.add_argument(
            "--alias",
            action="append",
            default=[],
            metavar="NAME=INSTANCE_ID",
            help="another name of an instance; may be repeated",
        )
        parser.add_argument("--no-scenarios", action="store_true", help="make no scenarios")
        parser.add_argument("--dry-run", action="store_true", help="report, and change nothing")
        parser.add_argument("--json", action="store_true", help="print the reports as JSON")

    def handle(self, *args: Any, files: list[Path], **options: Any) -> None:
        importer = SweImporter(
            user=None,
            actor="command",
            with_scenarios=not options["no_scenarios"],
            dry_run=options["dry_run"],
        )
        aliases = dict(map(_alias, options["alias"]))
        index: Path | None = options["function_index"]
        if not (files or options["hub"] or index or aliases):
            raise CommandError("name a FILE or --hub", returncode=BAD_ARGUMENTS)
        reports = [importer.take(_content(file), source=file.name) for file in files]
        reports += _from_hub(importer, options["hub"], options["split"])
        if index:
            reports.append(importer.take_functions(_content(index), source=index.name))
        if aliases:
            reports.append(importer.take_aliases(aliases))
        if options["json"]:
            self.stdout.write(json.dumps({"files": [r.as_dict() for r in reports]}, indent=2))
        else:
            for line in (line for report in reports for line in _lines(report)):
                self.stdout.write(line)
            if options["dry_run"]:
                self.stdout.write("dry run, nothing was changed")
        if any(report.refusals for report in reports):
            raise SystemExit(1)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CommandError(
            f"{file} cannot be read: {error.strerror}", returncode=BAD_ARGUMENTS
        ) from error


def _alias(given: str) -> tuple[str, str]:
    alias, found, instance_id = given.partition("=")
    if not found or not alias.strip() or not instance_id.strip():
        raise CommandError(f"--alias {given}: expected NAME=INSTANCE_ID", returncode=BAD_ARGUMENTS)
    return alias.strip(), instance_id.strip()


def _from_hub(importer: SweImporter, name: str | None, splits: list[str]) -> list[SweReport]:
    """What came before the hub broke off is imported, and reported."""
    reports: list[SweReport] = []
    if not name:
        return reports
    try:
        for path, content in files_of(name, splits or ["test"]):
            reports.append(importer.take(content, source=f"{name}/{path}"))
    except HubRefused as error:
        reports.append(SweReport(f"--hub {name}", refusals=[Note("", str(error))]))
    return reports


def _lines(report: SweReport) -> list[str]:
    counts = ", ".join(
        f"{len(names)} {label}"
        for names, label in (
            (report.created, "new"),
            (report.unchanged, "unchanged"),
            (report.scenarios, "scenarios"),
            (report.indexes, "function indexes"),
            (report.aliases, "aliases"),
            (report.refusals, "refused"),
        )
        if names
    )
    return [
        f"{report.outcome:8}{report.source}: {counts or 'nothing'}",
        *(f"        {note}" for note in (*report.refusals, *report.notes)),
    ]
