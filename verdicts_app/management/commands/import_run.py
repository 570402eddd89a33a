"""import_run DIR|FILE...: what a pipeline wrote to disk into a run."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from verdicts_app.intake import captures, responses
from verdicts_app.intake.captures import CallsReceipt, Interrupted
from verdicts_app.intake.files import LINES_ENDINGS, UploadedFile
from verdicts_app.intake.preview import FileKind, preview
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import RunRefused, Upload
from verdicts_app.management import printed

CHUNK = 256 * 1024
NAMES = ("calls.ndjson", "calls.ndjson.gz")
SUFFIXES = (".json", ".yaml", ".yml", ".csv", ".jsonl", ".ndjson", ".pred")
VERDICT_FOLDER = "judge-out"
"""Where judge_llm_batch writes beside the calls: verdicts that came from here."""
BAD_ARGUMENTS = 2


class Told(NamedTuple):
    """What is to be printed of some files."""

    lines: Iterable[str]
    reports: list[dict[str, Any]]
    is_bad: bool = False


class Skipped(NamedTuple):
    """A file of a directory that is left alone, and why."""

    file: Path
    reason: str


class Contents(NamedTuple):
    """Files of captured calls, results, and what is neither."""

    calls: list[Path]
    results: list[Path]
    skipped: list[Skipped]


class Command(BaseCommand):
    help = (
        "Take in what a pipeline wrote: captured calls (calls.ndjson), answers, judges' results of "
        "other tools, tables of findings and preferences, themes. From a run directory and the "
        "folders below it, or from files; plain or gzip. Each is recognised by its content, and "
        "importing again changes nothing. Every file of a directory is reported: read, warned, "
        "refused or skipped. Exit code 1 where something was refused or a file broke off, 2 for "
        "bad arguments."
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--run-id", default="", help="default: the name of the directory")
        parser.add_argument("--spec", default="", help="for documents that name no persona")
        parser.add_argument("--scenario", default="", help="for documents that name no scenario")
        parser.add_argument("--judge", default="", help="for results and rows that name no judge")
        parser.add_argument(
            "--opponent", default="", help="for preferences that name one candidate alone"
        )
        parser.add_argument(
            "--verdicts", action="store_true", help="envelopes and texts hold a judge's words"
        )
        parser.add_argument("--dry-run", action="store_true", help="report, and change nothing")
        parser.add_argument("--json", action="store_true", help="print the reports as JSON, whole")
        parser.add_argument(
            "--verbose",
            action="store_true",
            help=f"print all that there is to say, not {printed.MOST} lines a file",
        )

    def handle(self, *args: Any, paths: list[Path], run_id: str, **options: Any) -> None:
        how = Upload(
            is_verdict=options["verdicts"],
            spec=options["spec"],
            scenario=options["scenario"],
            judge=options["judge"],
            opponent=options["opponent"],
        )
        most = None if options["verbose"] else printed.MOST
        with transaction.atomic() if options["dry_run"] else nullcontext():
            told = [one for path in paths for one in self._take(path, run_id, how, most)]
            if options["dry_run"]:
                transaction.set_rollback(True)
        if options["json"]:
            files = [report for one in told for report in one.reports]
            self.stdout.write(json.dumps({"files": files}, indent=2))
        else:
            for line in (line for one in told for line in one.lines):
                self.stdout.write(line)
            if options["dry_run"]:
                self.stdout.write("dry run, nothing was changed")
        if any(one.is_bad for one in told):
            raise SystemExit(1)

    def _take(self, path: Path, run_id: str, how: Upload, most: int | None) -> Iterator[Told]:
        calls, results, skipped = files_at(path)
        folder = path if path.is_dir() else path.absolute().parent
        run = run_id or folder.absolute().name
        for file in calls:
            taken = self._take_calls(file, run)
            yield Told(
                printed.calls_lines(file, taken, most),
                [printed.calls_report(file, taken)],
                bool(taken.refused_total or taken.interrupted),
            )
        if results:
            receipt = self._take_results(path, results, run, how)
            yield Told(
                printed.file_lines(receipt, most),
                printed.file_reports(receipt),
                bool(receipt.refused),
            )
        names = [(str(one.file.relative_to(path)), one.reason) for one in skipped]
        yield Told(printed.skipped_lines(names, most), printed.skipped_reports(names))

    def _take_calls(self, file: Path, run_id: str) -> CallsReceipt:
        try:
            return captures.take_in(
                run_id=run_id, chunks=chunks_of(file), user=None, actor="command"
            )
        except RunRefused as error:
            raise CommandError(f"--run-id: {error}", returncode=BAD_ARGUMENTS) from error

    def _take_results(self, root: Path, files: list[Path], run_id: str, how: Upload) -> Receipt:
        try:
            return responses.take_in(
                run_id=run_id,
                files=(uploaded(file, root) for file in files),
                how=how,
                user=None,
                actor="command",
            )
        except RunRefused as error:
            raise CommandError(f"--run-id: {error}", returncode=BAD_ARGUMENTS) from error


def files_at(path: Path) -> Contents:
    """Of a run directory or the file itself. Raise CommandError where there is none."""
    if not path.is_dir():
        if not path.is_file():
            raise CommandError(f"{path}: no such file", returncode=BAD_ARGUMENTS)
        return Contents([path], [], []) if holds_calls(path) else Contents([], [path], [])
    found = Contents([], [], [])
    for file in sorted(path.rglob("*")):
        if file.is_dir():
            continue
        if reason := why_skipped(file, path):
            found.skipped.append(Skipped(file, reason))
        elif file.name in NAMES or holds_calls(file):
            found.calls.append(file)
        else:
            found.results.append(file)
    if not found.calls and not found.results:
        raise CommandError(
            f"{path}: no {' or '.join(NAMES)} in it, and no results", returncode=BAD_ARGUMENTS
        )
    return found


def why_skipped(file: Path, root: Path) -> str:
    """Why a file of a run directory is left alone; "" where it is taken in."""
    if not file.is_file():
        return "no file that can be read"
    if VERDICT_FOLDER in file.relative_to(root).parts:
        return f"what lies in {VERDICT_FOLDER} was written here"
    if file.name in NAMES:
        return "" if file.parent == root else "captured calls of another run: import its folder"
    name = file.name.lower().removesuffix(".gz")
    return "" if name.endswith(SUFFIXES) else f"its name ends in none of {', '.join(SUFFIXES)}"


def holds_calls(file: Path) -> bool:
    """By its first lines, as an upload is recognised."""
    if not file.name.lower().endswith(LINES_ENDINGS):
        return False
    return preview(file.name, chunks_of(file)).kind is FileKind.CAPTURES


def uploaded(file: Path, root: Path) -> UploadedFile:
    """The file under its name below `root`; one that cannot be read is refused with the reason."""
    name = str(file.relative_to(root)) if root.is_dir() else str(file)
    try:
        return UploadedFile(name, file.read_bytes())
    except OSError as error:
        return UploadedFile(name, b"", fault=f"cannot be read: {error.strerror}")


def chunks_of(file: Path) -> Iterator[bytes]:
    try:
        with file.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                yield chunk
    except OSError as error:
        raise Interrupted(str(error)) from error
