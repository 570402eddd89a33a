"""One answer of the Messages API, read into a `Reply`. No SDK.

Blocks are taken as they come: text is joined in order, thinking is never read as text, one tool
call gives `tool_input`, any other block is only named in `block_types`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from judgeweb.judging.errors import ProviderBusy
from judgeweb.judging.types import Reply, Usage


def read_reply(body: bytes, *, request_id: str = "", latency_ms: int = 0) -> Reply:
    """Raise ProviderBusy where a 2xx body is no message (a gateway's page, a cut connection)."""
    message = decode(body)
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        raise ProviderBusy(
            f"the endpoint answered with something other than a message: {body[:80]!r}",
            code="not_a_message",
            request_id=request_id,
        )
    return reply_from(message, request_id=request_id, latency_ms=latency_ms)


def reply_from(message: Mapping[str, Any], *, request_id: str = "", latency_ms: int = 0) -> Reply:
    """`message` is the decoded body (also the one inside a batch result)."""
    blocks = [block for block in message["content"] if isinstance(block, dict)]
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    details = message.get("stop_details") or {}
    return Reply(
        text="".join(text for text in texts if isinstance(text, str)),
        stop_reason=str(message.get("stop_reason") or ""),
        block_types=tuple(str(block.get("type")) for block in blocks),
        usage=usage_from(message.get("usage") or {}),
        model=str(message.get("model") or ""),
        request_id=request_id,
        tool_input=the_tool_input(blocks),
        refusal_category=str(details.get("category") or "") if isinstance(details, dict) else "",
        latency_ms=latency_ms,
    )


def the_tool_input(blocks: list[dict[str, Any]]) -> Mapping[str, Any] | None:
    """The input of the one tool call. Return None without a call, and where two calls differ."""
    inputs = [block.get("input") for block in blocks if block.get("type") == "tool_use"]
    first = inputs[0] if inputs else None
    if not isinstance(first, dict) or any(other != first for other in inputs[1:]):
        return None
    return first


def usage_from(usage: Mapping[str, Any]) -> Usage:
    """The API's `cache_creation_input_tokens` is the sum of both lifetimes; ours are apart."""
    written = count(usage.get("cache_creation_input_tokens"))
    split = usage.get("cache_creation")
    for_an_hour = count(split.get("ephemeral_1h_input_tokens")) if isinstance(split, Mapping) else 0
    return Usage(
        input=count(usage.get("input_tokens")),
        cache_write=max(written - for_an_hour, 0),
        cache_write_1h=for_an_hour,
        cache_read=count(usage.get("cache_read_input_tokens")),
        output=count(usage.get("output_tokens")),
    )


def count(value: object) -> int:
    """A token count; anything that is none counts as not reported."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def decode(body: bytes) -> Any:
    """Return None for what is no JSON. The slow parser also takes lone surrogates."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        try:
            return json.loads(body)
        except ValueError:
            return None
