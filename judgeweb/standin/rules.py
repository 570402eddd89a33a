"""What the API of version 2026-10-21 refuses, as far as a judge can run into it.

Every rule returns an ApiError or None. Source: spec/stack.md section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

VERSION = "2026-10-21"
MAX_BODY_BYTES = 32 * 1024 * 1024
CONTEXT_TOKENS = 1_000_000
EFFORTS = ("low", "medium", "high", "xhigh", "max")
REMOVED = ("temperature", "top_p", "top_k")
UNSUPPORTED = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "maxItems", "uniqueItems", "patternProperties"),
        *("oneOf", "not", "if", "then", "else"),
    }
)
MODELS = frozenset(
    {
        "stand-in",
        *("claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"),
        *("claude-sonnet-5", "claude-opus-5", "claude-fable-5", "claude-mythos-5"),
        *("claude-fable-5-1", "claude-mythos-5-1", "claude-fable-5-2", "claude-mythos-5-2"),
        *("claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5"),
        *("claude-opus-4-5-20251101", "claude-sonnet-4-6", "claude-sonnet-4-5"),
        *("claude-sonnet-4-5-20250929", "claude-haiku-4-5", "claude-haiku-4-5-20251001"),
        "claude-mythos-preview",
    }
)
WITHOUT_EFFORT = ("claude-haiku-4-5", "claude-sonnet-4-5")
ALWAYS_ADAPTIVE = ("claude-opus-5-5",)
KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class ApiError:
    status: int
    message: str
    kind: str = ""
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self, request_id: str) -> dict[str, Any]:
        fallback = "invalid_request_error" if self.status < 500 else "api_error"
        error: dict[str, Any] = {
            "type": self.kind or KINDS.get(self.status, fallback),
            "message": self.message,
        }
        if self.code:
            error["details"] = {"error_code": self.code}
        return {"type": "error", "error": error, "request_id": request_id}


def credentials(headers: Mapping[bytes, bytes]) -> ApiError | None:
    """Any key will do but none and "invalid"."""
    key = headers.get(b"authorization", b"").removeprefix(b"Bearer ").strip()
    key = key or headers.get(b"x-api-key", b"")
    if not key:
        return ApiError(401, "no credentials were sent")
    return ApiError(401, "invalid bearer token") if key == b"invalid" else None


def version(headers: Mapping[bytes, bytes]) -> ApiError | None:
    sent = headers.get(b"anthropic-version", b"").decode("latin-1")
    return None if sent == VERSION else ApiError(400, f"anthropic-version: {sent!r} is not valid")


def refused(body: Any) -> ApiError | None:
    """The first rule that a decoded body breaks."""
    if not isinstance(body, dict):
        return ApiError(400, "the request body is not valid JSON")
    for key in ("model", "messages", "max_tokens"):
        if key not in body:
            return ApiError(400, f"{key}: Field required")
    for key in REMOVED:
        if key in body:
            return ApiError(400, f"{key}: Extra inputs are not permitted")
    if body["model"] not in MODELS:
        return ApiError(404, f"model: {body['model']}")
    return messages_refused(body["messages"]) or model_refused(body) or form_refused(body)


def messages_refused(messages: Any) -> ApiError | None:
    if not isinstance(messages, list) or not messages:
        return ApiError(400, "messages: at least one message is required")
    for at, message in enumerate(messages):
        content = message.get("content")
        if not content or (isinstance(content, str) and not content.strip()):
            return ApiError(400, f"messages.{at}: text content blocks must be non-empty")
    if messages[-1].get("role") == "assistant":
        return ApiError(400, "This model does not support assistant message prefill.")
    return None


def model_refused(body: Mapping[str, Any]) -> ApiError | None:
    """Rules that differ between models."""
    model = body["model"]
    effort = (body.get("output_config") or {}).get("effort")
    if effort is not None and (effort not in EFFORTS or model.startswith(WITHOUT_EFFORT)):
        return ApiError(400, f"output_config.effort: {effort!r} is not supported by {model}")
    if not model.startswith(ALWAYS_ADAPTIVE):
        return None
    if (body.get("thinking") or {}).get("type") in ("enabled", "disabled"):
        return ApiError(400, f"thinking.type: not supported by {model}")
    if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
        return ApiError(400, f"tool_choice: forced tool use is not supported by {model}")
    return None


def form_refused(body: Mapping[str, Any]) -> ApiError | None:
    """The schemas of the reply and of strict tools, and max_tokens."""
    if not isinstance(body["max_tokens"], int) or body["max_tokens"] < 0:
        return ApiError(400, "max_tokens: a whole number of at least 0 is required")
    output_format = (body.get("output_config") or {}).get("format")
    if output_format is not None and (fault := fault_in(output_format.get("schema"))):
        return ApiError(400, f"output_config.format.schema: {fault}")
    for at, tool in enumerate(body.get("tools") or ()):
        if tool.get("strict") and (fault := fault_in(tool.get("input_schema"))):
            return ApiError(400, f"tools.{at}.input_schema: {fault}")
    return None


def fault_in(schema: Any) -> str | None:
    return known_fault(orjson.dumps(schema))


@lru_cache(maxsize=256)
def known_fault(schema: bytes) -> str | None:
    """Looking at a schema takes longer than all else; a job sends few of them."""
    return schema_fault(orjson.loads(schema))


def schema_fault(schema: Any) -> str | None:
    """What the structured-output dialect refuses anywhere in a schema."""
    if isinstance(schema, list):
        return next((fault for one in schema if (fault := schema_fault(one))), None)
    if not isinstance(schema, dict):
        return None
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    if isinstance(schema.get("type"), str) and (bad := UNSUPPORTED & schema.keys()):
        return f"For '{schema['type']}' type, property '{min(bad)}' is not supported"
    if schema.get("minItems", 0) not in (0, 1):
        return "'minItems' values other than 0 or 1 are not supported"
    # The names under `properties` are the author's own, not keywords.
    parts = [*(schema.get("properties") or {}).values(), *(schema.get("$defs") or {}).values()]
    parts += [schema[key] for key in ("items", "anyOf", "allOf") if key in schema]
    return schema_fault(parts)
