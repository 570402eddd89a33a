"""judge --mode MODE --data JSON|@file|-: one judgement in this process, the seed's step 6 out."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from judgeweb.judging.errors import CaseRefused, DocumentInvalid
from judgeweb.judging.modes import PATCH_MODES
from verdicts_app.exports.results import NotJudged, step6
from verdicts_app.intake import judgement_data, strict_json
from verdicts_app.intake.responses import RunRefused
from verdicts_app.management.instrument import add_instrument
from verdicts_app.models import Job
from verdicts_app.work import judge_config
from verdicts_app.work.asked import Asked, ask, wait
from verdicts_app.work.control import cancel_job
from verdicts_app.work.drain import drain_job
from verdicts_app.work.request import JudgeRequest

ACTOR = "command"
DEFAULT_RUN = "command-line"
BAD_ARGUMENTS = 2
NO_JUDGE = (
    "no judge is configured: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL to any server that "
    "speaks the Messages API"
)


class Command(BaseCommand):
    help = (
        "Judge one response, two, or a relay, and print the result as JSON. Needs no worker. The "
        "same data judged before under the same rubric and judge is not judged again: that verdict "
        "is printed. The modes swebench and ground-truth need no judge; they read response_file "
        "and write their result beside it, too. Exit code 1 where judging failed, 2 for bad "
        "arguments."
    )
    # The URL map and all it imports is not needed here.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--mode", required=True, help=", ".join(judgement_data.MODES))
        parser.add_argument("--data", required=True, help="JSON, @file, or - for standard input")
        parser.add_argument(
            "--model",
            action="append",
            default=[],
            help="the judge model (default: JUDGE_MODEL); several judge side by side",
        )
        parser.add_argument(
            "--orders", type=int, choices=[1, 2], default=2, help="of two contestants (default: 2)"
        )
        parser.add_argument("--repeats", type=int, default=1, help="1 to 5 (default: 1)")
        parser.add_argument("--run-id", default=DEFAULT_RUN, help="the run to store it in")
        parser.add_argument("--rejudge", action="store_true", help="judge again what was judged")
        add_instrument(parser)
        parser.add_argument("--pretty", choices=["yes", "no"], default="yes")

    def handle(self, *args: Any, **options: Any) -> None:
        mode = options["mode"]
        data = read_data(options["data"])
        try:
            judgement_data.check_mode(mode)
            file: Path | None = None
            if reads_a_file(data, mode):
                data, file = judgement_data.with_file_content(data)
            judgement_data.check_data(data, mode=mode)
            check_database()
            if judgement_data.asks_a_judge(data, mode=mode) and not judge_config.is_configured():
                raise NotJudged(NO_JUDGE)
            result = judge(data, mode, options)
            if file:
                write_beside(file, mode, result)
        except CaseRefused as refused:
            raise bad_arguments(f"{refused.field}: {refused.message}") from refused
        except (DocumentInvalid, RunRefused) as refused:
            raise bad_arguments(str(refused)) from refused
        except NotJudged as failure:
            self.fail(mode, str(failure))
        self.stdout.write(json.dumps(result, indent=2 if options["pretty"] == "yes" else None))
        if not result["success"]:
            self.fail(mode, result["reason"])

    def fail(self, mode: str, reason: str) -> NoReturn:
        """The seed's three lines."""
        self.stderr.write(f"❌ Judge validation failed: {reason}", self.style.ERROR)
        self.stderr.write(f"❌ Mode: {mode}", self.style.ERROR)
        self.stderr.write("❌ DO NOT estimate scores", self.style.ERROR)
        sys.exit(1)


def read_data(argument: str) -> Any:
    try:
        if argument == "-":
            return strict_json.parse(sys.stdin.buffer.read())
        if argument.startswith("@"):
            return strict_json.parse(Path(argument[1:]).read_bytes())
        return strict_json.parse(argument)
    except OSError as error:
        raise bad_arguments(f"--data: {argument[1:]}: {error.strerror}") from error
    except strict_json.NotJson as error:
        raise bad_arguments(f"--data is not JSON: {error}") from error


def bad_arguments(message: str) -> CommandError:
    return CommandError(message, returncode=BAD_ARGUMENTS)


def check_database() -> None:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        raise CommandError(f"The database cannot be used: {error}") from error
    if missing:
        raise CommandError("The database is not up to date. Run first: manage.py migrate")


def reads_a_file(data: Any, mode: str) -> bool:
    """As the seed's modes do; what is given as `response` instead needs no file."""
    is_patch = mode in PATCH_MODES and isinstance(data, Mapping)
    return is_patch and ("response_file" in data or "response" not in data)


RESULT_NAMES = {"swebench": "swebench_judge_", "ground-truth": "gt_judge_"}


def write_beside(file: Path, mode: str, result: Mapping[str, Any]) -> None:
    """The seed's second output: `run_` in the file's name is replaced, else the new name begins
    with what would replace it, so that the input is never overwritten."""
    before = RESULT_NAMES[mode]
    name = file.name.replace("run_", before) if "run_" in file.name else before + file.name
    try:
        file.with_name(name).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{file.with_name(name)}: {error.strerror}") from error


def judge(data: Mapping[str, Any], mode: str, options: Mapping[str, Any]) -> dict[str, Any]:
    taken = judgement_data.take_in(
        data, mode=mode, run_id=options["run_id"], user=None, actor=ACTOR
    )
    models = options["model"]
    asked = ask(
        request=JudgeRequest(
            **taken,
            model=models[0] if len(models) == 1 else None,
            models=models if len(models) > 1 else (),
            orders=options["orders"],
            repeats=options["repeats"],
            rejudge=options["rejudge"],
            claims=options["claims"],
            claims_model=options["claims_model"],
            shuffle=options["shuffle"],
        ),
        user=None,
        actor=ACTOR,
    )
    if asked.job is not None:
        work_on(asked, asked.job)
    return step6(asked.judgements(), mode=mode)


def work_on(asked: Asked, job: Job) -> None:
    """Judge it here. What could not be judged now is cancelled: nobody waits for it any more, so
    no worker shall pay for it later. Raise NotJudged where the job stands and waits."""
    if not asked.is_own:
        wait(asked, seconds=settings.JUDGE_TIMEOUT_S)
        return
    try:
        job = drain_job(job.pk)
    finally:
        cancel_job(job_id=job.pk, actor=ACTOR)
    if job.finished_at is None:
        raise NotJudged(job.state_detail or f"the job is {job.state}")
