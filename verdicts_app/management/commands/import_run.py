"""import_run DIR|FILE...: captured calls from disk into a run."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from verdicts_app.intake import captures
from verdicts_app.intake.captures import CallsReceipt, Interrupted
from verdicts_app.intake.responses import RunRefused

CHUNK = 256 * 1024
NAMES = ("calls.ndjson", "calls.ndjson.gz")
BAD_ARGUMENTS = 2


class Command(BaseCommand):
    help = (
        "Take in captured calls (NDJSON, plain or gzip), from a run directory with calls.ndjson or "
        "from a file. Importing again changes nothing. Exit code 1 where a line was refused or a "
        "file broke off, 2 for bad arguments."
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--run-id", default="", help="default: the name of the directory")

    def handle(self, *args: Any, paths: list[Path], run_id: str, **options: Any) -> None:
        files = [file for path in paths for file in files_at(path)]
        receipts = [self._import(file, run_id or file.absolute().parent.name) for file in files]
        if any(receipt.refused_total or receipt.interrupted for receipt in receipts):
            raise SystemExit(1)

    def _import(self, file: Path, run_id: str) -> CallsReceipt:
        try:
            receipt = captures.take_in(
                run_id=run_id, chunks=chunks_of(file), user=None, actor="command"
            )
        except RunRefused as error:
            raise CommandError(f"--run-id: {error}", returncode=BAD_ARGUMENTS) from error
        self.stdout.write(
            f"{file}: run {run_id}: {receipt.accepted} accepted, {receipt.duplicate} duplicate, "
            f"{receipt.refused_total} refused"
        )
        for refusal in receipt.refused:
            field = f" {refusal.field}" if refusal.field else ""
            self.stdout.write(f"  line {refusal.line}{field}: {refusal.reason}")
        if receipt.refused_total > len(receipt.refused):
            self.stdout.write(f"  and {receipt.refused_total - len(receipt.refused)} more")
        if receipt.interrupted:
            self.stdout.write(f"  broke off: {receipt.interrupted}")
        return receipt


def files_at(path: Path) -> list[Path]:
    """The captures of a run directory, or the file itself. Raise CommandError."""
    found = [path / name for name in NAMES if (path / name).is_file()] if path.is_dir() else [path]
    if not found or not found[0].is_file():
        wanted = f"no {' or '.join(NAMES)} in it" if path.is_dir() else "no such file"
        raise CommandError(f"{path}: {wanted}", returncode=BAD_ARGUMENTS)
    return found


def chunks_of(file: Path) -> Iterator[bytes]:
    try:
        with file.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                yield chunk
    except OSError as error:
        raise Interrupted(str(error)) from error
