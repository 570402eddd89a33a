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
from judgeweb.judging.text import is_blank
from verdicts_app.exports.results import NotJudged, step6
from verdicts_app.intake import judgement_data, strict_json
from verdicts_app.intake.responses import RunRefused
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
        "Judge one response and print the result as JSON. Needs no worker. The same data judged "
        "before under the same rubric and judge is not judged again: that verdict is printed. "
        "Exit code 1 where judging failed, 2 for bad arguments."
    )
    # The URL map and all it imports is not needed here.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--mode", required=True, help="solo")
        parser.add_argument("--data", required=True, help="JSON, @file, or - for standard input")
        parser.add_argument("--model", help="the judge model (default: JUDGE_MODEL)")
        parser.add_argument("--run-id", default=DEFAULT_RUN, help="the run to store it in")
        parser.add_argument("--rejudge", action="store_true", help="judge again what was judged")
        parser.add_argument("--pretty", choices=["yes", "no"], default="yes")

    def handle(self, *args: Any, **options: Any) -> None:
        mode = options["mode"]
        data = read_data(options["data"])
        try:
            judgement_data.check_mode(mode)
            judgement_data.check_data(data)
            check_database()
            if not judge_config.is_configured() and not is_blank(data["response"]):
                raise NotJudged(NO_JUDGE)
            result = judge(data, mode, options)
        except CaseRefused as refused:
            raise bad_arguments(f"{refused.field}: {refused.message}") from refused
        except (DocumentInvalid, RunRefused) as refused:
            raise bad_arguments(str(refused)) from refused
        except NotJudged as failure:
            self.fail(mode, str(failure))
        self.stdout.write(json.dumps(result, indent=2 if options["pretty"] == "yes" else None))

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


def judge(data: Mapping[str, Any], mode: str, options: Mapping[str, Any]) -> dict[str, Any]:
    taken = judgement_data.take_in(
        data, mode=mode, run_id=options["run_id"], user=None, actor=ACTOR
    )
    asked = ask(
        request=JudgeRequest(
            response_ids=taken.response_ids,
            model=options["model"],
            rejudge=options["rejudge"],
            use_gold=taken.use_gold,
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
