"""judge_llm_batch PATH --call-type T: judge captures in this process, write the verdict file."""

import os
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError

from judgeweb.judging.conversation import validation_report
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.types import Unjudged, UnjudgedReason
from verdicts_app.exports import calls as exports
from verdicts_app.exports.calls import Export, NothingToExport, Wanted
from verdicts_app.exports.files import write_whole
from verdicts_app.exports.numbers import dollars
from verdicts_app.exports.seed import aggregate, file_text, no_captures, summary_line
from verdicts_app.exports.sidecar import sidecar, sidecar_path
from verdicts_app.intake import call_files, captures, state_root
from verdicts_app.intake.responses import RunRefused
from verdicts_app.intake.state_root import NoStateRoot
from verdicts_app.management.commands.judge import (
    ACTOR,
    NO_JUDGE,
    bad_arguments,
    check_database,
)
from verdicts_app.models import Capture
from verdicts_app.work.here import NoJudge, WorkedHere, judge_here
from verdicts_app.work.price import Price
from verdicts_app.work.request import CALLS, JudgeRequest, chunks

REFUSALS_SHOWN = 20


class NotJudged(Exception):
    """Why no verdict file can be written."""


class Command(BaseCommand):
    help = (
        "Judge the captures of one call type and write one verdict file. Needs no worker. What is "
        "judged already is not judged again. Exit code 1 where judging failed, 2 for bad arguments."
    )
    # The URL map and all it imports is not needed here.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", nargs="?", help="calls.ndjson, or the folder of a run")
        parser.add_argument("--call-type", required=True)
        parser.add_argument(
            "--run-id",
            help="without PATH: judge <state-root>/runs/<run-id>/calls.ndjson; "
            "with PATH: the run to store the captures in",
        )
        parser.add_argument(
            "--out", help="default: <ndjson-dir>/judge-out/<call_type>-verdicts.json"
        )
        parser.add_argument("--state-dir", help="the state root")
        parser.add_argument(
            "--sidecar", action="store_true", help="a second file with cost, unjudged and epoch"
        )
        parser.add_argument("--model", help="the judge model (default: JUDGE_MODEL)")
        parser.add_argument("--rubric", help="the rubric's key (default: calls)")
        parser.add_argument("--budget-usd", help="the most it may cost")
        parser.add_argument("--rejudge", action="store_true", help="judge again what was judged")

    def handle(self, *args: Any, **options: Any) -> None:
        call_type = options["call_type"]
        try:
            path = path_of(options)
            found = call_files.contents(path, call_type)
            if not found.call_ids:
                self.stdout.write(no_captures(call_type, str(path)))
                return
            check_database()
            run_id = options["run_id"] or found.run_id
            self.take_in(path, run_id)
            ids = capture_ids(run_id, call_type, found.call_ids)
            worked = self.judge(ids, options)
            exported = self.export(run_id, call_type, ids, worked)
        except OSError as error:
            raise bad_arguments(f"{error.filename}: {error.strerror}") from error
        except CaseRefused as refused:
            raise bad_arguments(f"{refused.field}: {refused.message}") from refused
        except (NoStateRoot, RunRefused) as refused:
            raise bad_arguments(str(refused)) from refused
        except NoJudge:
            self.fail(NO_JUDGE)
        except NotJudged as failure:
            self.fail(str(failure))
        self.write(exported, out_path(options["out"], path, call_type), options["sidecar"])

    def take_in(self, path: Path, run_id: str) -> None:
        self.say(f"run {run_id}")
        receipt = captures.take_in(
            run_id=run_id, chunks=call_files.chunks_of(path), user=None, actor=ACTOR
        )
        for refusal in receipt.refused[:REFUSALS_SHOWN]:
            self.say(f"line {refusal.line} refused: {refusal.field} {refusal.reason}")
        if receipt.refused_total > REFUSALS_SHOWN:
            self.say(f"{receipt.refused_total} lines refused in all")
        if receipt.interrupted:
            self.say(f"only read in part: {receipt.interrupted}")

    def judge(self, ids: Sequence[int], options: dict[str, Any]) -> WorkedHere:
        worked = judge_here(
            request=JudgeRequest(
                capture_ids=ids,
                model=options["model"],
                rubric_key=options["rubric"],
                budget_usd=budget(options["budget_usd"]),
                rejudge=options["rejudge"],
            ),
            actor=ACTOR,
            before=self.before,
        )
        for refusal in worked.refused:
            if refusal.field == "rubric":
                raise CaseRefused(refusal.field, refusal.message)
            self.say(f"{refusal.responses} not judged: {refusal.field}: {refusal.message}")
        if worked.standing:
            raise NotJudged(worked.standing)
        return worked

    def before(self, price: Price) -> None:
        cost = dollars(price.estimate_nano_usd)
        self.say(
            f"judging {price.judgements} captures by {price.model}, "
            + ("price not known" if cost is None else f"about {cost:.4f} USD")
            + (f"; {price.already_judged} judged before" if price.already_judged else "")
            + (f"; {price.taken} ask nobody: only the contract changed" if price.taken else "")
        )

    def export(self, run_id: str, call_type: str, ids: Sequence[int], worked: WorkedHere) -> Export:
        if not worked.base_digests:
            raise NotJudged("none of the captures can be judged")
        [base_digest] = worked.base_digests
        wanted = Wanted(run_id, call_type, captures=frozenset(ids), base_digest=base_digest)
        try:
            exported = exports.export(wanted)
        except NothingToExport as nothing:
            left = exports.unjudged(wanted, base_digest)
            raise NotJudged(reasons(left) or str(nothing)) from nothing
        if exported.unjudged:
            self.say(f"left out, {reasons(exported.unjudged)}")
        if exported.undecided:
            self.say(f"left out, {len(exported.undecided)} undecidable")
        if exported.elsewhere:
            self.say(
                f"left out, {exported.elsewhere} judged while the judge answered under another "
                "model name: --rejudge judges them again"
            )
        return exported

    def write(self, exported: Export, out: Path, with_sidecar: bool) -> None:
        try:
            write_whole(out, exported.text())
            if with_sidecar:
                write_whole(sidecar_path(out), file_text(sidecar(exported)))
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}") from error
        verdicts = exported.calls
        self.stdout.write(summary_line(verdicts.call_type, aggregate(verdicts.verdicts), str(out)))

    def say(self, text: str) -> None:
        """Beside the one line that the seed prints."""
        self.stderr.write(text, self.style.WARNING)

    def fail(self, reason: str) -> NoReturn:
        unjudged = Unjudged(UnjudgedReason.PROVIDER_UNAVAILABLE, reason)
        self.stderr.write(validation_report(CALLS, unjudged), self.style.ERROR)
        sys.exit(1)


def path_of(options: dict[str, Any]) -> Path:
    """Raise CommandError or NoStateRoot where no file is named, or none is there."""
    if options["path"]:
        path = state_root.calls_in(Path(options["path"]))
    elif options["run_id"]:
        root = state_root.state_root(options["state_dir"], os.environ, Path.cwd())
        path = state_root.calls_of_run(root, options["run_id"])
    else:
        raise bad_arguments("name a PATH or a --run-id")
    if not path.exists():
        raise bad_arguments(f"{path}: there is no such file")
    return path


def out_path(out: str | None, path: Path, call_type: str) -> Path:
    if out:
        return Path(out)
    name = call_type.replace("/", "%2F").replace("\0", "%00")
    return path.parent / "judge-out" / f"{name}-verdicts.json"


def budget(text: str | None) -> Decimal | None:
    try:
        return None if text is None else Decimal(text)
    except InvalidOperation:
        raise bad_arguments(f"--budget-usd: {text!r} is no number") from None


def capture_ids(run_id: str, call_type: str, call_ids: Sequence[str]) -> list[int]:
    of_run = Capture.objects.filter(run__run_id=run_id, call_type=call_type).order_by("id")
    return [
        pk
        for chunk in chunks(call_ids)
        for pk in of_run.filter(call_id__in=chunk).values_list("pk", flat=True)
    ]


def reasons(left: Sequence[exports.Left]) -> str:
    """In words: "3 unjudged: refused 2, truncated 1"."""
    if not left:
        return ""
    counts = Counter(one.reason for one in left).most_common()
    said = ", ".join(f"{reason.replace('_', ' ')} {number}" for reason, number in counts)
    return f"{len(left)} unjudged: {said}"
