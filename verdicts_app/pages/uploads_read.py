"""Files of one upload, each taken in by what it holds, and what became of them for the page."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile as Posted
from django.db import transaction

from verdicts_app.intake import captures, responses
from verdicts_app.intake.captures import CallsReceipt
from verdicts_app.intake.files import UploadedFile, free_name
from verdicts_app.intake.preview import FileKind, preview
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import Upload

LINES_LISTED = 200
"""Refused lines of a file that the page lists; the rest is counted."""


@dataclass(frozen=True)
class Look:
    """A line of the receipt that needs one. `is_remark`: the document was taken all the same."""

    place: str
    field: str
    reason: str
    is_remark: bool = False


@dataclass(frozen=True)
class FileReceipt:
    """`call_types` counts the calls that are new; `more` the refused lines that are not listed.
    `verdicts` were made elsewhere, `rows` of a table went into them, `personas` are a theme's."""

    file: str
    kind: FileKind
    accepted: int
    duplicate: int
    summaries: int
    refused: int
    call_types: dict[str, int] = field(default_factory=dict)
    looks: tuple[Look, ...] = ()
    more: int = 0
    interrupted: str = ""
    verdicts: int = 0
    rows: int = 0
    personas: int = 0

    @property
    def new(self) -> int:
        return self.accepted + self.verdicts + self.personas

    @property
    def taken(self) -> int:
        return self.new + self.duplicate + self.summaries + self.rows

    @property
    def holds(self) -> str:
        """What was read in a file that holds no captured calls."""
        if self.personas:
            return "a theme"
        if self.rows:
            return "rows of a table"
        if self.verdicts and self.accepted:
            return "answers and verdicts made elsewhere"
        return "verdicts made elsewhere" if self.verdicts else "answers"

    @property
    def remarks(self) -> int:
        return sum(look.is_remark for look in self.looks)


@dataclass(frozen=True)
class UploadReceipt:
    """Of all files. `answers` is the receipt of those that hold no captured calls."""

    run_id: str
    files: tuple[FileReceipt, ...]
    answers: Receipt
    is_dry: bool = False

    def of_kind(self, kind: FileKind) -> tuple[FileReceipt, ...]:
        return tuple(file for file in self.files if file.kind == kind)

    @property
    def calls(self) -> int:
        return sum(file.accepted for file in self.of_kind(FileKind.CAPTURES))

    @property
    def duplicate(self) -> int:
        return sum(file.duplicate for file in self.files)

    @property
    def refused(self) -> int:
        return sum(file.refused for file in self.files)

    @property
    def taken(self) -> int:
        return sum(file.taken for file in self.files)


def take_in_files(
    *, run_id: str, posted: Sequence[Posted], how: Upload, user: User, dry_run: bool = False
) -> UploadReceipt:
    """Raise RunRefused; then nothing was stored, as of a dry run."""
    if not dry_run:
        return _take_in(run_id, posted, how, user)
    with transaction.atomic():
        receipt = _take_in(run_id, posted, how, user)
        transaction.set_rollback(True)
    return replace(receipt, is_dry=True)


def _take_in(run_id: str, posted: Sequence[Posted], how: Upload, user: User) -> UploadReceipt:
    actor = user.get_username()
    taken: set[str] = set()
    names = {id(file): free_name(file.name or "file", taken) for file in posted}
    calls = [file for file in posted if _kind(file) is FileKind.CAPTURES]
    of_calls = {
        id(file): captures.take_in(run_id=run_id, chunks=file.chunks(), user=user, actor=actor)
        for file in calls
    }
    answers = responses.take_in(
        run_id=run_id,
        files=(_uploaded(file, names[id(file)]) for file in posted if id(file) not in of_calls),
        how=how,
        user=user,
        actor=actor,
    )
    files = [_of_calls(names[id(file)], of_calls[id(file)]) for file in calls]
    return UploadReceipt(run_id, (*files, *_of_answers(answers)), answers)


def _kind(file: Posted) -> FileKind:
    kind = preview(file.name or "", file.chunks()).kind
    file.seek(0)
    return kind


def _uploaded(file: Posted, name: str) -> UploadedFile:
    return UploadedFile(
        name=name,
        content=file.read(),
        media_type=(file.content_type or "").partition(";")[0].strip(),
    )


def _of_calls(name: str, receipt: CallsReceipt) -> FileReceipt:
    listed = receipt.refused[:LINES_LISTED]
    return FileReceipt(
        file=name,
        kind=FileKind.CAPTURES,
        accepted=receipt.accepted,
        duplicate=receipt.duplicate,
        summaries=0,
        refused=receipt.refused_total,
        call_types=receipt.call_types,
        looks=tuple(Look(f"line {line.line}", line.field, line.reason) for line in listed),
        more=receipt.refused_total - len(listed),
        interrupted=receipt.interrupted,
    )


def _of_answers(receipt: Receipt) -> list[FileReceipt]:
    """File by file, in the order in which they were sent."""
    found = []
    for counts in receipt.files:
        refused = [line for line in receipt.refused if line.file == counts.file]
        looks = [Look(line.place, line.field, line.reason) for line in refused]
        looks += [
            Look(line.place, "", line.text, is_remark=True)
            for line in receipt.warnings
            if line.file == counts.file
        ]
        found.append(
            FileReceipt(
                file=counts.file,
                kind=FileKind.ANSWERS,
                accepted=counts.accepted,
                duplicate=counts.duplicate,
                summaries=counts.summaries,
                verdicts=counts.verdicts,
                rows=counts.rows,
                personas=counts.personas,
                refused=len(refused),
                looks=tuple(looks),
            )
        )
    return found
