"""SWE-bench data as published: instances in JSON, JSON lines or Parquet, and function indexes.

An instance needs `instance_id`, `repo`, `base_commit` and `patch`; the other fields are optional.
Lists of tests stand as lists, as JSON text or as Python prints them. gzip is known by its first
bytes.
"""

import ast
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from judgeweb.judging.patches.gold import gold_of
from judgeweb.judging.strict_json import NotJson, parse
from judgeweb.judging.text import shown, visible
from rubrics_app.importers.tree import FileRefused, Note

GZIP, PARQUET, BOM = b"\x1f\x8b", b"PAR1", "\ufeff"
LARGEST = 2 * 1024**3
"""Bytes of a file, unpacked."""
TEXTS = (
    "instance_id",
    "repo",
    "base_commit",
    "version",
    "problem_statement",
    "hints_text",
    "patch",
    "test_patch",
)
LISTS = {"FAIL_TO_PASS": "fail_to_pass", "PASS_TO_PASS": "pass_to_pass"}
REQUIRED = ("instance_id", "repo", "base_commit", "patch")
LONGEST = {"instance_id": 200, "repo": 200, "base_commit": 64, "version": 50}


@dataclass(frozen=True)
class ReadInstance:
    """One instance of a file: the columns of `SweInstance` without hash and source."""

    place: str
    values: Mapping[str, str]

    @property
    def instance_id(self) -> str:
        return self.values["instance_id"]


def instances_from(content: bytes) -> Iterator[ReadInstance | Note]:
    """Every instance of a file in order; a Note where one cannot be taken. Raise FileRefused."""
    for place, record in records(content):
        if isinstance(record, Note):
            yield record
        else:
            yield _instance(place, record)


# --- records ------------------------------------------------------------------------------------


def records(content: bytes) -> Iterator[tuple[str, Any]]:
    """Every record with its place; a Note in place of a line that is not JSON."""
    content = _unpacked(content)
    if content.startswith(PARQUET):
        yield from _parquet(content)
        return
    text = _text(content)
    if not text.strip():
        raise FileRefused("", "the file is empty")
    try:
        value = parse(text)
    except NotJson as error:
        if "\n" not in text.strip():
            raise FileRefused("", f"neither JSON, JSON lines nor Parquet: {error}") from error
        yield from _lines(text)
        return
    if isinstance(value, dict):
        is_map = "instance_id" not in value
        value = list(value.values()) if is_map else [value]
    if not isinstance(value, list):
        raise FileRefused("", f"expected instances, not {shown(value)}")
    for number, record in enumerate(value, 1):
        yield f"item {number}", record


def _unpacked(content: bytes) -> bytes:
    if not content.startswith(GZIP):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as stream:
            unpacked = stream.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileRefused("", f"not gzip: {error}") from error
    if len(unpacked) > LARGEST:
        raise FileRefused("", f"larger than {LARGEST} bytes")
    return unpacked


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError as error:
        raise FileRefused("", f"not UTF-8 at byte {error.start}") from error


def _lines(text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            yield place, parse(line)
        except NotJson as error:
            yield place, Note("", f"not JSON: {error}", number)


def _parquet(content: bytes) -> Iterator[tuple[str, Any]]:
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        number = 0
        for batch in file.iter_batches(batch_size=100):
            for record in batch.to_pylist():
                number += 1
                yield f"row {number}", record
    except (pyarrow.ArrowException, OSError) as error:
        raise FileRefused("", f"not Parquet: {error}") from error


# --- one instance -------------------------------------------------------------------------------


class _Refused(Exception):
    """Why a record is no instance: the field and the message."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def _instance(place: str, record: Any) -> ReadInstance | Note:
    if not isinstance(record, Mapping):
        return Note(place, f"expected an instance, not {shown(record)}")
    try:
        values = {field: _text_of(record, field) for field in TEXTS}
        _check(values)
    except _Refused as refused:
        return Note(f"{place}, {refused.field}", str(refused))
    for field, column in LISTS.items():
        values[column] = _json(names_of_tests(record.get(field)))
    known = {*TEXTS, *LISTS}
    values["extras"] = _json({key: _plain(record[key]) for key in record if key not in known})
    return ReadInstance(place, values)


def _text_of(record: Mapping[str, Any], field: str) -> str:
    value = record.get(field)
    if value is not None and not isinstance(value, str):
        raise _Refused(field, f"expected text, not {shown(value)}")
    return visible(value or "")[0]


def _check(values: Mapping[str, str]) -> None:
    for field in REQUIRED:
        if not values[field].strip():
            raise _Refused(field, "is missing")
    for field, most in LONGEST.items():
        if len(values[field]) > most:
            raise _Refused(field, f"has {len(values[field])} characters; {most} are allowed")
    if fault := _patch_fault(values["patch"]):
        raise _Refused("patch", f"{values['instance_id']}: {fault}")


def _patch_fault(patch: str) -> str:
    """Why a gold patch cannot be judged against; "" where it can."""
    gold = gold_of(patch)
    if gold.patch.faults:
        fault = gold.patch.faults[0]
        return f"malformed in line {fault.line}: {fault.message}"
    return "" if gold.changes.source else "changes no file"


def names_of_tests(value: Any) -> list[str]:
    """A list of test ids, however it is written down."""
    if isinstance(value, str):
        if not value.strip():
            return []
        try:
            value = json.loads(value)
        except ValueError:
            try:
                value = ast.literal_eval(value)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                value = [value]
    if isinstance(value, list | tuple):
        return [visible(str(one))[0] for one in value]
    return [] if value is None else [visible(str(value))[0]]


def _plain(value: Any) -> Any:
    """As JSON holds it."""
    return value.isoformat() if isinstance(value, datetime | date) else value


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)


# --- function index -----------------------------------------------------------------------------


def functions_from(content: bytes) -> dict[str, str]:
    """Function indexes by instance id, as canonical JSON texts. The file holds
    {instance id: {path: [[kind, dotted name, first line, last line], ...]}}. Raise FileRefused."""
    try:
        document = parse(_text(_unpacked(content)))
    except NotJson as error:
        raise FileRefused("", f"not JSON: {error}") from error
    if not isinstance(document, dict):
        raise FileRefused("", f"expected an object, not {shown(document)}")
    return {instance: _json(_index(instance, index)) for instance, index in document.items()}


def _index(instance: str, index: Any) -> Any:
    if not isinstance(index, dict):
        raise FileRefused(instance, f"expected an object of paths, not {shown(index)}")
    for path, spans in index.items():
        for span in spans if isinstance(spans, list) else [spans]:
            if not _is_span(span):
                raise FileRefused(
                    f"{instance}, {path}",
                    f"expected [kind, name, first line, last line], not {shown(span)}",
                )
    return index


def _is_span(span: Any) -> bool:
    return (
        isinstance(span, list)
        and len(span) == 4
        and all(isinstance(word, str) for word in span[:2])
        and all(type(line) is int and line > 0 for line in span[2:])
    )
