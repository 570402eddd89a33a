"""POST /v1/messages: a decoded request in, the message to answer with out."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from itertools import count
from typing import Any

import orjson

from judgeweb.standin.answers import ASSESSMENT, Fitting, schema_in, text_of
from judgeweb.standin.rules import CONTEXT_TOKENS, ApiError, refused
from judgeweb.standin.state import State

# A test writes one into the judged text: [[standin:refuse]], [[standin:status=503]], ...
DIRECTIVE = re.compile(r"\[\[standin:([a-z-]+)(?:=([\w.-]+))?\]\]")
GARBAGE = "I would say this is rather good, on the whole: eight out of ten! " + ASSESSMENT
_numbers = count(1)
_started = f"{int(time.time() * 1000):x}"


def new_id(kind: str) -> str:
    return f"{kind}_standin{_started}{next(_numbers):08x}"


def answer(body: Any, state: State, raw: bytes) -> dict[str, Any] | ApiError:
    """The message for a body, or what is wrong with it."""
    if fault := refused(body):
        return fault
    if len(raw) // 4 > CONTEXT_TOKENS:
        tokens = len(raw) // 4
        return ApiError(400, f"prompt is too long: {tokens} tokens > {CONTEXT_TOKENS} maximum")
    if state.replies:
        return with_defaults(state.replies.popleft(), body, state, raw)
    content, more = content_for(body, state)
    if isinstance(content, ApiError):
        return content
    return with_defaults({"content": content, **more}, body, state, raw)


def content_for(
    body: Mapping[str, Any], state: State
) -> tuple[list[dict[str, Any]] | ApiError, dict[str, Any]]:
    """Content blocks, and what else of the message is not as usual."""
    user = text_of(body["messages"][0]["content"])
    directive = DIRECTIVE.search(user) if "[[standin:" in user else None
    if directive and (directive[1] == "status"):
        return ApiError(int(directive[2]), "asked for by the prompt"), {}
    if directive and directive[1] == "refuse":
        details = {"type": "refusal", "category": directive[2] or "cyber", "explanation": None}
        return [], {"stop_reason": "refusal", "stop_details": details}
    thinking = {"type": "thinking", "thinking": '{"value": 10}', "signature": "c2ln"}
    if directive and directive[1] == "thinking-only":
        return [thinking], {}
    blocks, stop_reason = usual_blocks(body, user, directive[1] if directive else "", state)
    if directive and directive[1] == "thinking-first":
        blocks.insert(0, thinking)
    return blocks, {"stop_reason": stop_reason}


def usual_blocks(
    body: Mapping[str, Any], user: str, directive: str, state: State
) -> tuple[list[dict[str, Any]], str]:
    schema = schema_in(body)
    if schema is None or directive == "garbage" or state.draws_garbage():
        return [{"type": "text", "text": GARBAGE}], "end_turn"
    verdict = Fitting(user, schema).verdict()
    if body.get("tools"):
        name = body["tools"][0]["name"]
        return [{"type": "tool_use", "id": new_id("toolu"), "name": name, "input": verdict}], (
            "tool_use"
        )
    text = orjson.dumps(verdict).decode()
    if directive == "truncate":
        return [{"type": "text", "text": text[: len(text) // 2]}], "max_tokens"
    if "output_config" not in body or "format" not in body["output_config"]:
        text = f"```json\n{text}\n```"
    return [{"type": "text", "text": text}], "end_turn"


def with_defaults(
    scripted: Mapping[str, Any], body: Mapping[str, Any], state: State, raw: bytes
) -> dict[str, Any]:
    """A whole message around what is given; a given `text` becomes the one text block."""
    given = dict(scripted)
    if "text" in given:
        given["content"] = [{"type": "text", "text": given.pop("text")}]
    message = {
        "id": new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "stop_details": None,
        **given,
    }
    if "usage" not in given:
        message["usage"] = usage(body, message["content"], state, raw)
    return message


def usage(body: Mapping[str, Any], content: list[Any], state: State, raw: bytes) -> dict[str, Any]:
    """Tokens as a quarter of the bytes. The prefix is the system up to its last cache mark."""
    prefix, ttl = cached_prefix(body)
    hit = state.cached(body["model"], prefix, ttl) if prefix else None
    tokens = len(prefix) // 4 if hit is not None else 0
    written = tokens if hit is False else 0
    return {
        "input_tokens": max(1, len(raw) // 4 - tokens),
        "output_tokens": max(1, len(orjson.dumps(content)) // 4) if content else 0,
        "cache_read_input_tokens": tokens - written,
        "cache_creation_input_tokens": written,
        "cache_creation": {
            "ephemeral_5m_input_tokens": written if ttl == "5m" else 0,
            "ephemeral_1h_input_tokens": written if ttl == "1h" else 0,
        },
        "service_tier": "standard",
    }


def cached_prefix(body: Mapping[str, Any]) -> tuple[bytes, str]:
    """Everything up to the last `cache_control` in system, and its lifetime."""
    system = body.get("system")
    marked = [
        at
        for at, block in enumerate(system if isinstance(system, list) else ())
        if block.get("cache_control")
    ]
    if not marked or not isinstance(system, list):
        return b"", "5m"
    ttl = system[marked[-1]]["cache_control"].get("ttl", "5m")
    parts = (body["model"], body.get("tools"), system[: marked[-1] + 1])
    return orjson.dumps(parts), ttl
