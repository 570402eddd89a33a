"""What a file that somebody is about to upload looks like: its kind and its first lines."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from django.conf import settings

from judgeweb.judging.text import visible
from verdicts_app.intake import call_lines, ndjson, strict_json
from verdicts_app.intake.call_lines import NAMES, LineRefused
from verdicts_app.intake.files import LINES_ENDINGS, NotGzip
from verdicts_app.intake.ndjson import Line
from verdicts_app.intake.strict_json import NotJson

LINES_SHOWN = 5
MARKS = {"call_id", "call_type", "user_content"}
"""A line with two of these is a captured call, even if it cannot be taken."""


class FileKind(StrEnum):
    CAPTURES = "captures"
    ANSWERS = "answers"


class PreviewLine(NamedTuple):
    """A captured call, or in `fault` why it will be refused."""

    number: int
    call_id: str = ""
    call_type: str = ""
    model: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Preview:
    """`fault` says why the file cannot be read at all. Answers are shown without lines."""

    kind: FileKind
    lines: tuple[PreviewLine, ...] = ()
    fault: str = ""


def preview(name: str, chunks: Iterable[bytes]) -> Preview:
    """Reads no further than the lines that are shown. gzip is known by its first bytes."""
    if not name.lower().endswith(LINES_ENDINGS):
        return Preview(FileKind.ANSWERS)
    first: list[Line] = []
    fault = ""
    try:
        stream = ndjson.inflated(chunks)
        for line in ndjson.lines(stream, longest=settings.CAPTURE_LINE_MAX_BYTES):
            if not line.is_blank:
                first.append(line)
            if len(first) == LINES_SHOWN:
                break
    except NotGzip as error:
        fault = f"not gzip: {error}"
    if first and not any(map(_is_call, first)):
        return Preview(FileKind.ANSWERS)
    if not first:
        fault = fault or "the file is empty"
    return Preview(FileKind.CAPTURES, tuple(map(_shown, first)), fault)


def _is_call(line: Line) -> bool:
    try:
        document = strict_json.parse(line.raw.removeprefix(ndjson.BOM))
    except NotJson:
        return False
    if not isinstance(document, dict):
        return False
    return len(MARKS & {NAMES.get(key, "") for key in document}) >= 2


def _shown(line: Line) -> PreviewLine:
    try:
        call = call_lines.read(line)
    except LineRefused as refused:
        return PreviewLine(line.number, fault=str(refused))
    return PreviewLine(line.number, call.call_id, call.call_type, visible(call.model)[0])
