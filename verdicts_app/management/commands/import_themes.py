"""import_themes PATH...: theme files, or folders of them, into personas."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from verdicts_app.intake import responses
from verdicts_app.intake.files import UploadedFile
from verdicts_app.management import printed

SUFFIXES = (".yaml", ".yml", ".json")
RUN = "themes"
"""Only what is no theme would need a run; such files are refused."""


class Command(BaseCommand):
    help = (
        "Import theme files (YAML or JSON: theme{name, ...}, agents{role: {character, style, "
        "expertise, ...}}): each agent is the persona theme:role. Importing again changes nothing. "
        "Exit code 1 where a file was refused."
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--dry-run", action="store_true", help="report, and change nothing")

    def handle(self, *args: Any, paths: list[Path], dry_run: bool, **options: Any) -> None:
        files = [file for path in paths for file in files_below(path)]
        try:
            uploads = [UploadedFile(str(file), file.read_bytes()) for file in files]
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}", returncode=2) from error
        receipt = responses.take_in(
            run_id=RUN,
            files=uploads,
            how=responses.Upload(only_themes=True),
            user=None,
            actor="command",
            dry_run=dry_run,
        )
        for line in printed.file_lines(receipt):
            self.stdout.write(line)
        if dry_run:
            self.stdout.write("dry run, nothing was changed")
        if receipt.refused or not files:
            raise SystemExit(1)


def files_below(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)
