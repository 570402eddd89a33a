"""Uploaded files taken apart into documents, each with the place where it stands.

A file is recognised by its content: JSON (one document, or a list of them), NDJSON, a table of
comma-separated values with a header, YAML, or plain text.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from verdicts_app.intake import predictions, rows, strict_json, tables, yaml_documents
from verdicts_app.intake.strict_json import EXACT_DECODER, NotJson
from verdicts_app.intake.yaml_documents import FileRefused, Kind, Note, Value

GZIP = b"\x1f\x8b"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
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
    """`media_type` without parameters, "" where unknown; `fault` says why it cannot be read."""

    name: str
    content: bytes
    media_type: str = ""
    fault: str = ""

    @property
    def is_lines(self) -> bool:
        return self.media_type in LINES_MEDIA or self.name.lower().endswith(LINES_ENDINGS)


def free_name(name: str, taken: set[str]) -> str:
    """The name, with its number where it is taken; taken from now on. The ending stays, since it
    says how a file is read."""
    stem, dot, ending = name.partition(".")
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{stem} ({number}){dot}{ending}"
    taken.add(found)
    return found


class Piece(NamedTuple):
    """One document of a file, or why it could not be read. `place` is "" for a whole file.

    Numbers are int or Decimal. Plain text is its own document. `tree` knows the lines of YAML."""

    place: str
    document: Any
    fault: str = ""
    tree: Value | None = None
    notes: tuple[Note, ...] = ()

    def place_of(self, field: str) -> str:
        """Where a field of the document stands, as exactly as is known."""
        line = yaml_documents.line_of(self.tree, field) if self.tree else None
        return f"line {line}" if line else self.place


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
    """Every document of the file: one, each of a JSON array, or each line of NDJSON or a table."""
    if file.fault:
        yield Piece("", None, file.fault)
        return
    try:
        content = _unpacked(file.content, most)
        text = "" if file.is_lines else strict_json.decode(content)
    except (NotJson, NotGzip, TooLarge) as error:
        yield Piece("", None, _reason(error))
        return
    if file.is_lines:
        yield from _lines(content)
    else:
        yield from _of_text(text, content)


def _unpacked(content: bytes, most: int) -> bytes:
    if content.startswith(UTF_16):
        raise NotJson("UTF-16: save the file as UTF-8")
    if content.startswith(GZIP):
        content = inflate(content, most=most)
    if len(content) > most:
        raise TooLarge(most)
    return content


def _of_text(text: str, content: bytes) -> Iterator[Piece]:
    if not text.strip():
        yield Piece("", None, "the file is empty")
    elif text.lstrip()[0] in "{[":
        yield from _json(text, content)
    elif (columns := tables.columns_of(text)) and (rows.kind_of(columns) or tables.is_plain(text)):
        yield from _table(text, columns)
    else:
        yield from _yaml(text, content)


def _json(text: str, content: bytes) -> Iterator[Piece]:
    try:
        value = strict_json.parse(text, decoder=EXACT_DECODER)
    except NotJson as error:
        if _starts_with_a_line(text):
            yield from _lines(content)
        else:
            yield Piece("", None, _reason(error))
        return
    if named := predictions.by_instance(value):
        for name, document in named.items():
            notes = predictions.notes_on(name, document)
            yield Piece(f"key {name}", document, notes=notes)
        return
    if not isinstance(value, list):
        yield Piece("", value)
        return
    if not value:
        yield Piece("", None, "the list is empty")
    for number, document in enumerate(value, 1):
        yield Piece(f"item {number}", document)


def _table(text: str, columns: list[str]) -> Iterator[Piece]:
    """Its rows, or one fault for all of them."""
    if not rows.kind_of(columns):
        yield Piece("line 1", None, rows.why_not(columns))
        return
    is_empty = True
    for row in tables.rows(text):
        is_empty = False
        yield Piece(*row)
    if is_empty:
        yield Piece("", None, "a table with a header and no row")


def _starts_with_a_line(text: str) -> bool:
    """NDJSON under another name: the first line is an object of its own, and more follow."""
    first, _, rest = text.lstrip().partition("\n")
    if not rest.strip():
        return False
    try:
        return isinstance(strict_json.parse(first), dict)
    except NotJson:
        return False


def _yaml(text: str, content: bytes) -> Iterator[Piece]:
    """A YAML map, each of a list, else the text itself."""
    notes: list[Note] = []
    try:
        tree = yaml_documents.read_tree(content, notes)
    except FileRefused as refused:
        note = refused.note
        looks_like_yaml = ":" in text.lstrip().partition("\n")[0] or text.startswith("---")
        place = f"line {note.line}" if note.line else ""
        yield Piece(place, None if looks_like_yaml else text, str(note) if looks_like_yaml else "")
        return
    maps = [one for one in tree.items if one.kind is Kind.MAP]
    if maps and len(maps) == len(tree.items):
        for number, one in enumerate(tree.items, 1):
            document = yaml_documents.document_of(one)
            # Notes are on the file: the first of its documents carries them.
            yield Piece(f"item {number}", document, tree=one, notes=tuple(notes) * (number == 1))
    elif tree.is_scalar or tree.kind is Kind.LIST:
        yield Piece("", text)
    else:
        document = yaml_documents.document_of(tree)
        yield Piece("", document, tree=tree, notes=tuple(notes))


def _lines(content: bytes) -> Iterator[Piece]:
    """Split on LF alone: U+2028 and U+0085 may stand inside strings."""
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").strip():
            continue
        try:
            raw = line if number == 1 else _plain(line)
            yield Piece(f"line {number}", strict_json.parse(raw, decoder=EXACT_DECODER))
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
