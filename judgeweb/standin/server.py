"""The ASGI application.

POST /v1/messages is plain ASGI, since it bounds what a benchmark can measure; the rest is
starlette (`control`). Nothing is written to disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import orjson
from starlette.applications import Starlette

from judgeweb.standin import rules
from judgeweb.standin.control import control_routes
from judgeweb.standin.messages import answer, new_id
from judgeweb.standin.rules import ApiError
from judgeweb.standin.state import Fault, Settings, State

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LIMITS = [
    (b"anthropic-ratelimit-requests-limit", b"4000"),
    (b"anthropic-ratelimit-requests-remaining", b"3999"),
    (b"anthropic-ratelimit-input-tokens-remaining", b"1990000"),
    (b"anthropic-ratelimit-output-tokens-remaining", b"399000"),
]


class StandIn:
    """The application. `latency_ms` holds until a test sets another one, and after a reset."""

    def __init__(self, latency_ms: float = 0) -> None:
        self.state = State(Settings(latency_ms=latency_ms))
        self._rest = Starlette(routes=control_routes(self.state))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/v1/messages":
            await self._messages(scope, receive, send)
        else:
            await self._rest(scope, receive, send)

    async def _messages(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = await whole_body(receive)
        headers = dict(scope["headers"])
        self.state.entered(headers.get(b"authorization", b""), raw)
        status = 0
        try:
            fault = self.state.next_fault()
            delay_ms = self.state.settings.latency_ms + (fault.delay_ms if fault else 0)
            if delay_ms:
                await asyncio.sleep(delay_ms / 1000)
            if fault is not None and (fault.drop or fault.body is not None):
                status = await misbehave(send, fault)
                return
            outcome = fault.error() if fault else self._outcome(scope["method"], headers, raw)
            status = await respond(send, outcome)
        finally:
            self.state.left(status)

    def _outcome(
        self, method: str, headers: dict[bytes, bytes], raw: bytes
    ) -> dict[str, Any] | ApiError:
        if method != "POST":
            return ApiError(405, "Method Not Allowed")
        if len(raw) > rules.MAX_BODY_BYTES:
            return ApiError(413, "Request exceeds the maximum size")
        if fault := rules.credentials(headers) or rules.version(headers):
            return fault
        try:
            body = orjson.loads(raw)
        except orjson.JSONDecodeError:
            body = None
        return answer(body, self.state, raw)


async def whole_body(receive: Receive) -> bytes:
    message = await receive()
    if not message.get("more_body"):
        return bytes(message.get("body", b""))
    parts = [message.get("body", b"")]
    while message.get("more_body"):
        message = await receive()
        parts.append(message.get("body", b""))
    return b"".join(parts)


async def respond(send: Send, outcome: dict[str, Any] | ApiError) -> int:
    """Answer, and return the status."""
    request_id = new_id("req")
    headers = [(b"content-type", b"application/json"), (b"request-id", request_id.encode())]
    if isinstance(outcome, ApiError):
        status, content = outcome.status, orjson.dumps(outcome.body(request_id))
        headers += [(k.lower().encode(), v.encode()) for k, v in outcome.headers.items()]
    else:
        status, content = 200, orjson.dumps(outcome)
        headers += LIMITS
    headers.append((b"content-length", str(len(content)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
    return status


async def misbehave(send: Send, fault: Fault) -> int:
    """Send a scripted body as it is; or promise one and stop, which cuts the connection."""
    content = (fault.body or "").encode()
    status = 200 if fault.body is not None and fault.status == Fault.status else fault.status
    length = 1_000_000 if fault.drop else len(content)
    headers = [(b"content-length", str(length).encode())]
    headers += [(k.lower().encode(), v.encode()) for k, v in fault.headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content, "more_body": fault.drop})
    return 0 if fault.drop else status
