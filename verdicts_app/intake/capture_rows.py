"""Calls as rows, inserted hundreds at a time."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import blake2b
from operator import itemgetter
from typing import Any

import msgspec
from django.db import connection

from judgeweb.judging.text import visible
from verdicts_app.intake.call_lines import Call
from verdicts_app.intake.prompts import Prompt
from verdicts_app.intake.retries import Attempts, Ready, trail_of
from verdicts_app.models import Capture
from verdicts_app.work import capture_sums, sql

COLUMNS = (
    "id",
    "run_id",
    "call_id",
    "call_type",
    "model",
    "system_prompt_id",
    "user_content",
    "response_content",
    "originals",
    "parsed_ok",
    "success",
    "failure_kind",
    "input_tokens",
    "output_tokens",
    "latency_ms",
    "at",
    "at_text",
    "source_run_id",
    "extras",
    "content_hash",
    "input_crc",
    "line_number",
    "retry_of_id",
    "uploaded_at",
)


def prepared(call: Call, prompt: Prompt | None) -> Ready:
    sent = _bytes(call.user_content)
    return Ready(call, prompt, _content_hash(call, prompt, sent), trail_of(sent))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _content_hash(call: Call, prompt: Prompt | None, sent: bytes) -> str:
    said = b"" if call.response_content is None else _bytes(call.response_content)
    rest = [
        prompt and prompt.sha256,
        call.call_type,
        call.model,
        call.run_id,
        call.failure_kind,
        len(sent),
        None if call.response_content is None else len(said),
        call.parsed_ok,
        call.success,
        call.input_tokens,
        call.output_tokens,
        call.latency_ms,
        call.ts_text,
        call.extras,
    ]
    digest = blake2b(ascii(rest).encode(), digest_size=32)
    digest.update(sent)
    digest.update(said)
    return digest.hexdigest()


def insert(rows: Sequence[Ready], *, run_pk: int, attempts: Attempts, now: datetime) -> None:
    """In their order. None of them may be stored yet.

    The ids are taken beforehand, so that a retry can name an attempt of the same batch."""
    if not rows:
        return
    ids = sql.new_ids(Capture, len(rows))
    earlier = attempts.repeated(zip(ids, rows, strict=True))
    adapted = _identical if connection.vendor == "postgresql" else _in_sqlite
    values = [
        (pk, run_pk, *_values(ready, adapted(ready.call.ts)), repeated, adapted(now))
        for pk, ready, repeated in zip(ids, rows, earlier, strict=True)
    ]
    sql.insert(Capture, COLUMNS, values)
    capture_sums.add(
        capture_sums.Stored._make((*SUMMED(row), ready.call.ts, now))
        for row, ready in zip(values, rows, strict=True)
    )


SUMMED: Callable[[Sequence[Any]], tuple[Any, ...]] = itemgetter(
    *(COLUMNS.index(name) for name in capture_sums.COLUMNS[:-2])
)
"""Of a row, what is added up, but for its times."""


def _identical(moment: datetime | None) -> Any:
    return moment


def _in_sqlite(moment: datetime | None) -> Any:
    """A time in UTC as Django's backend hands it to the driver, in a fraction of the time."""
    return moment and str(moment.replace(tzinfo=None))


def _values(ready: Ready, at: Any) -> tuple[Any, ...]:
    call, originals = _storable(ready.call)
    return (
        call.call_id,
        call.call_type,
        call.model,
        ready.prompt and ready.prompt.pk,
        call.user_content,
        call.response_content,
        originals,
        call.parsed_ok,
        call.success,
        call.failure_kind,
        call.input_tokens,
        call.output_tokens,
        call.latency_ms,
        at,
        call.ts_text,
        call.run_id,
        call.extras,
        ready.content_hash,
        ready.trail.whole,
        call.line_number,
    )


def _storable(call: Call) -> tuple[Call, str]:
    """The call with visible escapes for what no database takes, and what that changed."""
    if _is_safe(call.user_content + (call.response_content or "")) and _is_safe(
        call.model + call.run_id + call.failure_kind
    ):
        return call, ""
    originals = {name: text for name in TEXTS if not _is_safe(text := getattr(call, name) or "")}
    safe = msgspec.structs.replace(
        call, **{name: visible(text)[0] for name, text in originals.items()}
    )
    return safe, json.dumps({TEXTS[name]: text for name, text in originals.items()})


TEXTS = {
    "model": "model",
    "user_content": "user_content",
    "response_content": "response_content",
    "failure_kind": "failure_kind",
    "run_id": "source_run_id",
}
"""Fields whose texts may be anything, with their columns."""


def _is_safe(text: str) -> bool:
    """Many times faster than to look for every character that is not."""
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
