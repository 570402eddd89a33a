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
    is_bad: bool


class Command(BaseCommand):
    help = (
        "Take in what a pipeline wrote: captured calls (calls.ndjson), answers, judges' results of "
        "other tools, tables of findings and preferences, themes. From a run directory and the "
        "folders below it, or from files; plain or gzip. Each is recognised by its content, and "
        "importing again changes nothing. Exit code 1 where something was refused or a file broke "
        "off, 2 for bad arguments."
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
        parser.add_argument("--json", action="store_true", help="print the reports as JSON")

    def handle(self, *args: Any, paths: list[Path], run_id: str, **options: Any) -> None:
        how = Upload(
            is_verdict=options["verdicts"],
            spec=options["spec"],
            scenario=options["scenario"],
            judge=options["judge"],
            opponent=options["opponent"],
        )
        with transaction.atomic() if options["dry_run"] else nullcontext():
            told = [one for path in paths for one in self._take(path, run_id, how)]
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

    def _take(self, path: Path, run_id: str, how: Upload) -> Iterator[Told]:
        calls, results = files_at(path)
        folder = path if path.is_dir() else path.absolute().parent
        run = run_id or folder.absolute().name
        for file in calls:
            taken = self._take_calls(file, run)
            yield Told(
                printed.calls_lines(file, taken),
                [printed.calls_report(file, taken)],
                bool(taken.refused_total or taken.interrupted),
            )
        if results:
            receipt = self._take_results(path, results, run, how)
            yield Told(
                printed.file_lines(receipt), printed.file_reports(receipt), bool(receipt.refused)
            )

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


def files_at(path: Path) -> tuple[list[Path], list[Path]]:
    """Files of captured calls, and the others, of a run directory or the file itself. Raise
    CommandError where there is none."""
    if not path.is_dir():
        if not path.is_file():
            raise CommandError(f"{path}: no such file", returncode=BAD_ARGUMENTS)
        return ([path], []) if holds_calls(path) else ([], [path])
    calls = [path / name for name in NAMES if (path / name).is_file()]
    results = sorted(
        file
        for file in path.rglob("*")
        if is_result(file) and VERDICT_FOLDER not in file.relative_to(path).parts
    )
    if not calls and not results:
        raise CommandError(
            f"{path}: no {' or '.join(NAMES)} in it, and no results", returncode=BAD_ARGUMENTS
        )
    return calls, results


def is_result(file: Path) -> bool:
    name = file.name.lower().removesuffix(".gz")
    return name.endswith(SUFFIXES) and file.name not in NAMES and file.is_file()


def holds_calls(file: Path) -> bool:
    """By its first lines, as an upload is recognised."""
    if not file.name.lower().endswith(LINES_ENDINGS):
        return False
    return preview(file.name, chunks_of(file)).kind is FileKind.CAPTURES


def uploaded(file: Path, root: Path) -> UploadedFile:
    """The file under its name below `root`; one that cannot be read is refused as empty."""
    name = str(file.relative_to(root)) if root.is_dir() else str(file)
    try:
        return UploadedFile(name, file.read_bytes())
    except OSError:
        return UploadedFile(name, b"")


def chunks_of(file: Path) -> Iterator[bytes]:
    try:
        with file.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                yield chunk
    except OSError as error:
        raise Interrupted(str(error)) from error
