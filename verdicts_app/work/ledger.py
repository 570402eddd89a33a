"""The ledger: one row per request, written before the request is sent.

Rows are written and closed many at a time. A row is opened only where the job still runs and its
budget has room for the request's worst case; until it is closed, that worst case is its cost.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from judgeweb.judging.documents import digest
from judgeweb.judging.errors import ProviderError
from judgeweb.judging.text import visible
from judgeweb.judging.types import Prompt, Reply, Turn
from verdicts_app.models import LedgerEntry, LedgerState, PromptText, RequestRow
from verdicts_app.work import budget, sql
from verdicts_app.work.budget import Refused

COMPRESSION = 1
"""Fast: prompts shrink to a third, level 6 gains 5 % more for four times the time."""
MAX_ERROR = 500


@dataclass(frozen=True, eq=False, slots=True)
class Opening:
    """A request about to be sent. `worst_nano_usd` is None where the price is not known."""

    judgement_id: int
    job_id: UUID
    attempt: int
    ordinal: int
    prompt: Prompt
    turns: tuple[Turn, ...]
    max_tokens: int
    worst_nano_usd: int | None


@dataclass(frozen=True, eq=False, slots=True)
class Closing:
    """What became of a request. `cost_nano_usd` is None where the price is not known."""

    entry_id: int
    opening: Opening
    came: Reply | ProviderError
    cost_nano_usd: int | None
    at: datetime


@dataclass(frozen=True, eq=False, slots=True)
class Ending:
    """The same for a request of no job."""

    entry_id: int
    came: Reply | ProviderError
    cost_nano_usd: int | None
    at: datetime


OPEN_COLUMNS = (
    "judgement_id",
    "attempt",
    "prompt",
    "ordinal",
    "state",
    "system_id",
    "messages",
    "max_tokens",
    "opened_at",
    "error",
    "request_id",
    "returned_model",
    "stop_reason",
    "input_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "cache_read_tokens",
    "output_tokens",
    "cost_nano_usd",
)


class Ledger:
    """Remembers which prefixes are stored, so that each is hashed and looked up once."""

    def __init__(self) -> None:
        self._prefixes: dict[str, int] = {}

    def open(self, openings: Sequence[Opening]) -> list[int | Refused]:
        """The rows' ids, in order; Refused for requests that must not be sent."""
        allowed = budget.commit([(o.job_id, o.worst_nano_usd or 0) for o in openings])
        now = sql.moment(timezone.now())
        sent = [o for o, refused in zip(openings, allowed, strict=True) if refused is None]
        prefixes = self._stored({opening.prompt.system for opening in sent})
        rows = [_opened(opening, prefixes[opening.prompt.system], now) for opening in sent]
        ids = iter(sql.insert_returning(LedgerEntry, OPEN_COLUMNS, rows))
        return [next(ids) if refused is None else refused for refused in allowed]

    def _stored(self, systems: set[str]) -> dict[str, int]:
        """Ids by text, made where they are new."""
        new = {system: prefix_id(system) for system in systems if system not in self._prefixes}
        # What was made in a transaction that is rolled back must not be remembered.
        transaction.on_commit(lambda: self._prefixes.update(new))
        return {system: new.get(system) or self._prefixes[system] for system in systems}


def prefix_id(system: str) -> int:
    """The stored prefix, made where it is new."""
    text = visible(system)[0]
    return PromptText.objects.get_or_create(sha256=digest(text), defaults={"text": text})[0].pk


def _opened(opening: Opening, system_id: int, now: Any) -> tuple[Any, ...]:
    """In the order of OPEN_COLUMNS."""
    return (
        opening.judgement_id,
        opening.attempt,
        opening.prompt.label,
        opening.ordinal,
        LedgerState.OPEN.value,
        system_id,
        packed(messages_of(opening.prompt, opening.turns)),
        opening.max_tokens,
        now,
        *("", "", "", ""),
        *(0, 0, 0, 0, 0),
        opening.worst_nano_usd,
    )


CLOSE_COLUMNS = (
    "state",
    "closed_at",
    "status",
    "error",
    "request_id",
    "returned_model",
    "stop_reason",
    "reply",
    "input_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "cache_read_tokens",
    "output_tokens",
    "cost_nano_usd",
    "latency_ms",
)
# A worker that was given up may still bring its answer: it was paid for and is kept.
STILL_AWAITED = "state IN ('open', 'lost')"


def close(closings: Iterable[Closing]) -> None:
    """Close the rows and give back what their worst case had committed too much."""
    closings = list(closings)
    freed: dict[UUID, int] = defaultdict(int)
    for closing in closings:
        worst = closing.opening.worst_nano_usd or 0
        freed[closing.opening.job_id] += (closing.cost_nano_usd or 0) - worst
    close_rows(LedgerEntry, closings)
    budget.settle(freed)


def close_rows(model: type[RequestRow], endings: Iterable[Closing | Ending]) -> None:
    rows = [_answered(one) if isinstance(one.came, Reply) else _failed(one) for one in endings]
    sql.update_each(model, CLOSE_COLUMNS, rows, STILL_AWAITED)


def _answered(closing: Closing | Ending) -> list[Any]:
    reply = closing.came
    assert isinstance(reply, Reply)
    usage = reply.usage
    return [
        LedgerState.ANSWERED.value,
        sql.moment(closing.at),
        200,
        "",
        visible(reply.request_id)[0][:100],
        visible(reply.model)[0][:200],
        visible(reply.stop_reason)[0][:60],
        packed(lossless(reply)),
        usage.input,
        usage.cache_write,
        usage.cache_write_1h,
        usage.cache_read,
        usage.output,
        closing.cost_nano_usd,
        reply.latency_ms,
        closing.entry_id,
    ]


def _failed(closing: Closing | Ending) -> list[Any]:
    error = closing.came
    assert isinstance(error, ProviderError)
    return [
        LedgerState.FAILED.value,
        sql.moment(closing.at),
        error.status,
        visible(error.message)[0][:MAX_ERROR],
        visible(error.request_id)[0][:100],
        "",
        "",
        None,
        0,
        0,
        0,
        0,
        0,
        closing.cost_nano_usd,
        None,
        closing.entry_id,
    ]


def messages_of(prompt: Prompt, turns: tuple[Turn, ...]) -> list[dict[str, str]]:
    messages = [{"role": "user", "content": prompt.user}]
    for turn in turns:
        messages.append({"role": "assistant", "content": turn.reply_text})
        messages.append({"role": "user", "content": turn.correction})
    return messages


def lossless(reply: Reply) -> dict[str, Any]:
    return {
        "text": reply.text,
        "tool_input": None if reply.tool_input is None else dict(reply.tool_input),
        "block_types": list(reply.block_types),
        "stop_reason": reply.stop_reason,
        "refusal_category": reply.refusal_category,
        "model": reply.model,
        "request_id": reply.request_id,
    }


def packed(value: Any) -> bytes:
    """ASCII JSON, so that NUL and lone surrogates survive, and compressed."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return zlib.compress(text.encode("ascii"), COMPRESSION)


def unpacked(stored: bytes | memoryview) -> Any:
    return json.loads(zlib.decompress(stored))


def sent_messages(entry: RequestRow) -> list[Mapping[str, str]]:
    """The user and assistant turns of a request, as they were sent after the system text."""
    messages: list[Mapping[str, str]] = unpacked(entry.messages)
    return messages


def reply_in(entry: RequestRow) -> Mapping[str, Any] | None:
    """The lossless reply; its text may hold NUL and lone surrogates. None where none came."""
    if entry.reply is None:
        return None
    reply: Mapping[str, Any] = unpacked(entry.reply)
    return reply
