"""The requests behind one judgement, from the ledger: what was sent, what came back, its price."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from judgeweb.judging.text import visible
from verdicts_app.models import DraftingRequest, Extraction, LedgerEntry, LedgerState, RequestRow


@dataclass(frozen=True)
class Message:
    role: str
    text: str


@dataclass(frozen=True)
class RequestMade:
    number: int
    prompt: str
    attempt: int
    state: str
    sign: str
    what_happened: str
    opened_at: datetime
    latency_ms: int | None
    input_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    output_tokens: int
    max_tokens: int
    cost_nano_usd: int | None
    returned_model: str
    request_id: str
    stop_reason: str
    system: str
    messages: tuple[Message, ...]
    reply: str


SIGNS = {
    LedgerState.OPEN: "",
    LedgerState.ANSWERED: "good",
    LedgerState.FAILED: "warn",
    LedgerState.LOST: "warn",
}


def requests_made(judgement_id: int | None) -> tuple[RequestMade, ...]:
    """Every request of the judgement, oldest first; one query."""
    if judgement_id is None:
        return ()
    entries = LedgerEntry.objects.filter(judgement_id=judgement_id).select_related("system")
    return tuple(_request(number, entry) for number, entry in enumerate(entries.order_by("id"), 1))


def requests_of_extraction(extraction: Extraction) -> tuple[RequestMade, ...]:
    """The same for the claims of a response: those of the judgement that asked, of that claim."""
    rows = LedgerEntry.objects.filter(
        judgement=extraction.judgement_id, attempt=extraction.attempt, prompt=extraction.prompt
    ).select_related("system")
    return tuple(_request(number, row) for number, row in enumerate(rows.order_by("id"), 1))


def requests_of_drafting(drafting_id: int) -> tuple[RequestMade, ...]:
    """The same for a contract that the judge drafted."""
    rows = DraftingRequest.objects.filter(drafting=drafting_id).select_related("system")
    return tuple(_request(number, row) for number, row in enumerate(rows.order_by("id"), 1))


def _request(number: int, entry: RequestRow) -> RequestMade:
    reply: Mapping[str, Any] = _unpacked(entry.reply) or {}
    return RequestMade(
        number=number,
        prompt=entry.prompt if isinstance(entry, LedgerEntry) else "draft",
        attempt=entry.attempt if isinstance(entry, LedgerEntry) else 1,
        state=entry.state,
        sign=SIGNS.get(LedgerState(entry.state), ""),
        what_happened=_what_happened(entry, reply),
        opened_at=entry.opened_at,
        latency_ms=entry.latency_ms,
        input_tokens=entry.input_tokens,
        cache_write_tokens=entry.cache_write_tokens + entry.cache_write_1h_tokens,
        cache_read_tokens=entry.cache_read_tokens,
        output_tokens=entry.output_tokens,
        max_tokens=entry.max_tokens,
        cost_nano_usd=entry.cost_nano_usd,
        returned_model=entry.returned_model,
        request_id=entry.request_id,
        stop_reason=entry.stop_reason,
        system=entry.system.text,
        messages=_messages(entry),
        reply=_reply_text(reply),
    )


def _what_happened(entry: RequestRow, reply: Mapping[str, Any]) -> str:
    if entry.state == LedgerState.OPEN:
        return "under way"
    if entry.state == LedgerState.LOST:
        return "lost: the worker stopped before the answer was stored"
    if entry.state == LedgerState.FAILED:
        status = f"{entry.status}: " if entry.status else ""
        return f"{status}{entry.error or 'no answer'}"
    category = reply.get("refusal_category")
    return f"{entry.stop_reason or 'answered'}{f': {category}' if category else ''}"


def _unpacked(blob: bytes | memoryview | None) -> Any:
    return json.loads(zlib.decompress(bytes(blob))) if blob else None


def _messages(entry: RequestRow) -> tuple[Message, ...]:
    turns = _unpacked(entry.messages) or []
    return tuple(Message(turn["role"], _safe(_flat(turn["content"]))) for turn in turns)


def _reply_text(reply: Mapping[str, Any]) -> str:
    if reply.get("tool_input") is not None:
        return _safe(json.dumps(reply["tool_input"], ensure_ascii=False, indent=2))
    return _safe(str(reply.get("text", "")))


def _flat(content: str | Sequence[dict[str, Any]]) -> str:
    """The text of a message: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", "")) for block in content)


def _safe(text: str) -> str:
    return visible(text)[0]
