"""contract_report: which captures a contract would decide otherwise, before it is published."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judgeweb.judging.documents import ContractDocument
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.importers import FileRefused
from rubrics_app.importers.contracts import contracts_from
from rubrics_app.models import Contract
from rubrics_app.publishing import document_of
from verdicts_app.management.commands.judge import bad_arguments, check_database
from verdicts_app.work.contract_changes import Change, Checked, contract_changes


class Command(BaseCommand):
    help = (
        "List the stored captures whose schema_ok, and with it the verdict, is another under a "
        "contract than under what is published: of the drafts named, of all drafts, or of a "
        "contracts file. Asks no judge and writes nothing."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("keys", nargs="*", metavar="KEY", help="drafts (default: all)")
        parser.add_argument("--file", type=Path, help="contracts of this file instead")
        parser.add_argument("--json", action="store_true", help="a JSON object per change")

    def handle(self, *args: Any, **options: Any) -> None:
        check_database()
        try:
            for contract in contracts(options["keys"], options["file"]):
                self.report(contract, as_json=options["json"])
        except DocumentInvalid as error:
            raise CommandError(str(error)) from error

    def report(self, contract: ContractDocument, *, as_json: bool) -> None:
        counts = Checked()
        for change in contract_changes(contract, counts):
            self.stdout.write(
                json.dumps({"call_type": contract.call_type, **change._asdict()})
                if as_json
                else said(change)
            )
        summary = (
            f"{contract.call_type}: {counts.changed} of {counts.captures} captures change in "
            f"schema_ok, {counts.verdicts} verdicts"
        )
        (self.stderr if as_json else self.stdout).write(summary)


def said(change: Change) -> str:
    verdict = ""
    if change.changes_the_verdict:
        verdict = f", pass {word(change.passed_before)} -> {word(change.passed_after)}"
    return (
        f"{change.run_id} {change.call_id}: schema_ok {word(change.before)} -> "
        f"{word(change.after)}{verdict}: {change.reason}"
    )


def word(ok: bool | None) -> str:
    return {True: "true", False: "false", None: "undecided"}[ok]


def contracts(keys: list[str], file: Path | None) -> Iterable[ContractDocument]:
    if file is not None:
        try:
            return contracts_from(file.read_bytes(), source=file.name)
        except OSError as error:
            raise bad_arguments(f"{file} cannot be read: {error.strerror}") from error
        except FileRefused as refused:
            raise bad_arguments(f"{file}: {refused.note}") from refused
    drafts = Contract.objects.filter(is_archived=False)
    if keys:
        drafts = drafts.filter(key__in=keys)
        if missing := set(keys) - set(drafts.values_list("key", flat=True)):
            raise bad_arguments(f"there is no contract {', '.join(sorted(missing))}")
    return [document_of(draft) for draft in drafts]  # type: ignore[misc]
