"""import_scenarios PATH...: scenario files, or folders of them, into drafts and revisions."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from rubrics_app.importing import FileReport, Importer, counts


class Command(BaseCommand):
    help = (
        "Import scenario files (YAML or JSON). Each is imported wholly or not at all; importing "
        "again changes nothing. Exit code 1 where a file was refused."
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--dry-run", action="store_true", help="report, and change nothing")
        parser.add_argument("--no-publish", action="store_true", help="save drafts only")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        importer = Importer(
            user=None,
            actor="command",
            publish=not options["no_publish"],
            dry_run=options["dry_run"],
        )
        reports = list(importer.take_files(options["paths"]))
        if options["json"]:
            document = {"files": [r.as_dict() for r in reports], "counts": counts(reports)}
            self.stdout.write(json.dumps(document, indent=2))
        else:
            self._print(reports, is_dry=options["dry_run"])
        if not reports or any(report.refusal for report in reports):
            raise SystemExit(1)

    def _print(self, reports: list[FileReport], *, is_dry: bool) -> None:
        for report in reports:
            self.stdout.write(f"{report.outcome:8}{report.source}{_result(report)}")
            for note in (report.refusal, *report.notes):
                if note:
                    self.stdout.write(f"        {note}")
        numbers = ", ".join(f"{number} {name}" for name, number in counts(reports).items())
        self.stdout.write(f"{numbers}{'; dry run, nothing was changed' if is_dry else ''}")


def _result(report: FileReport) -> str:
    if report.refusal:
        return ""
    revision = f", revision {report.revision}" if report.revision else ", draft"
    gold = f", gold standard {report.gold}" if report.gold else ""
    return f": {report.key} {report.change}{revision}{gold}"
