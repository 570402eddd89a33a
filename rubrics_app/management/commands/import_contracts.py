"""import_contracts FILE: output contracts of captured calls into drafts and revisions."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rubrics_app.contracts import import_contracts


class Command(BaseCommand):
    help = (
        "Import a contracts file (JSON or YAML): JSON Schemas by call type, or a list of contract "
        "documents. It is imported wholly or not at all; importing again changes nothing. Exit "
        "code 1 where it was refused."
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--dry-run", action="store_true", help="report, and change nothing")
        parser.add_argument("--no-publish", action="store_true", help="save drafts only")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            content = path.read_bytes()
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}") from error
        report = import_contracts(
            content,
            source=path.name,
            user=None,
            actor="command",
            publish=not options["no_publish"],
            dry_run=options["dry_run"],
        )
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), indent=2))
        else:
            for key, change, revision in report.saved:
                number = f"revision {revision}" if revision else "draft"
                self.stdout.write(f"{change:10}{key}, {number}")
            for note in report.refusals:
                self.stdout.write(f"refused   {note}")
            if options["dry_run"]:
                self.stdout.write("dry run, nothing was changed")
        if report.refusals:
            raise SystemExit(1)
