"""export_verdicts RUN --call-type T: the verdict file of seed B, or one of its dialects."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from verdicts_app.exports.calls import DIALECTS, Export, NothingToExport, Wanted, export
from verdicts_app.exports.dialects import index_files
from verdicts_app.exports.files import write_whole
from verdicts_app.exports.seed import file_text
from verdicts_app.management.commands.judge import check_database


class Command(BaseCommand):
    help = (
        "Write the verdicts on the captures of one call type, as they are judged: to standard "
        "output, or to --out. With --dialect index, --out is a folder that gets INDEX.json and a "
        "file per capture. Exit code 1 where there is nothing to export."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", help="the id of the run")
        parser.add_argument("--call-type", required=True)
        parser.add_argument("--dialect", choices=sorted(DIALECTS), default="seed")
        parser.add_argument("--out", help="default: standard output")
        parser.add_argument("--model", default="", help="of this judge model")
        parser.add_argument("--rubric", default="", help="a key, or key@revision")

    def handle(self, *args: Any, **options: Any) -> None:
        check_database()
        wanted = Wanted(
            run_id=options["run"],
            call_type=options["call_type"],
            model=options["model"],
            rubric=options["rubric"],
        )
        try:
            exported = export(wanted)
        except NothingToExport as nothing:
            raise CommandError(str(nothing)) from nothing
        dialect = options["dialect"]
        if not options["out"]:
            self.stdout.write(exported.text(dialect), ending="")
            return
        try:
            write(exported, dialect, Path(options["out"]))
        except OSError as error:
            raise CommandError(f"{options['out']} cannot be written: {error.strerror}") from error


def write(exported: Export, dialect: str, out: Path) -> None:
    """The index is written last: whoever finds it finds all that it lists."""
    if dialect != "index":
        write_whole(out, exported.text(dialect))
        return
    for name, document in index_files(exported.calls).items():
        write_whole(out / name, file_text(document))
