"""Uploaded files taken apart into documents, each with the place where it stands."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from verdicts_app.intake import predictions, strict_json
from verdicts_app.intake.strict_json import NotJson

GZIP = b"\x1f\x8b"
LINES_MEDIA = {"application/x-ndjson", "application/ndjson", "application/jsonl"}
LINES_ENDINGS = (".ndjson", ".jsonl", ".ndjson.gz", ".jsonl.gz")


class TooLarge(Exception):
    """More than this installation takes in one upload."""

    def __init__(self, most: int) -> None:
        super().__init__(f"larger than {most} bytes")
        self.most = most


class NotGzip(Exception):
    """Called gzip and is not, or ends too early."""


@dataclass(frozen=True)
class UploadedFile:
    """`media_type` without parameters, "" where unknown."""

    name: str
    content: bytes
    media_type: str = ""

    @property
    def is_lines(self) -> bool:
        return self.media_type in LINES_MEDIA or self.name.lower().endswith(LINES_ENDINGS)


class Piece(NamedTuple):
    """One document of a file, or why it could not be read. `place` is "" for a whole file."""

    place: str
    document: Any
    fault: str = ""


def inflate(content: bytes, *, most: int) -> bytes:
    """gzip undone, several members too. Raise TooLarge before more than `most` is made."""
    inflated = bytearray()
    rest = content
    while rest:
        member = zlib.decompressobj(wbits=31)
        try:
            inflated += member.decompress(rest, most - len(inflated) + 1)
        except zlib.error as error:
            raise NotGzip(str(error)) from error
        if len(inflated) > most:
            raise TooLarge(most)
        if not member.eof:
            raise NotGzip("ends in the middle")
        rest = member.unused_data.lstrip(b"\0")
    return bytes(inflated)


def pieces(file: UploadedFile, *, most: int) -> Iterator[Piece]:
    """Every document of the file: one, each of a JSON array, or each line of NDJSON."""
    try:
        content = file.content
        if content.startswith(GZIP):
            content = inflate(content, most=most)
        if file.is_lines:
            yield from _lines(content)
            return
        if not content.strip():
            yield Piece("", None, "the file is empty")
            return
        value = strict_json.parse(content)
    except (NotJson, NotGzip, TooLarge) as error:
        yield Piece("", None, _reason(error))
        return
    yield from _documents(value)


def _documents(value: Any) -> Iterator[Piece]:
    """What one JSON value holds: each of a list, each prediction of an object by instance id."""
    if named := predictions.by_instance(value):
        yield from (Piece(f"key {name}", document) for name, document in named.items())
        return
    if not isinstance(value, list):
        yield Piece("", value)
        return
    if not value:
        yield Piece("", None, "the list is empty")
    for number, document in enumerate(value, 1):
        yield Piece(f"item {number}", document)


def _lines(content: bytes) -> Iterator[Piece]:
    """Split on LF alone: U+2028 and U+0085 may stand inside strings."""
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").strip():
            continue
        try:
            yield Piece(f"line {number}", strict_json.parse(line if number == 1 else _plain(line)))
        except NotJson as error:
            yield Piece(f"line {number}", None, error.message)


def _plain(line: bytes) -> bytes:
    """Only a file may start with a byte order mark, no line in its middle."""
    if line.startswith(b"\xef\xbb\xbf"):
        raise NotJson("a byte order mark in the middle of the file")
    return line


def _reason(error: Exception) -> str:
    match error:
        case NotGzip():
            return f"not gzip: {error}"
        case NotJson():
            return f"not JSON: {error}"
    return str(error)
