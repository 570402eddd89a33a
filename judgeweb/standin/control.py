"""The control endpoints: GET what happened, POST what shall happen.

    GET  /_control/stats     requests, in_flight, max_in_flight, statuses, faults and replies left
    GET  /_control/log       every request since the reset, keys masked
    POST /_control/settings  {"latency_ms": 200, ...}               see `state.Settings`
    POST /_control/faults    [{"status": 429, "times": 3, ...}, ...]  see `state.Fault`
    POST /_control/replies   [{"text": "..."}, {"content": [], "stop_reason": "refusal"}, ...]
    POST /_control/reset

A name that does not exist is a 400 that lists the ones that do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from judgeweb.standin.state import Fault, Settings, State, known


class Control:
    def __init__(self, state: State) -> None:
        self._state = state

    def stats(self) -> Any:
        return self._state.stats()

    def log(self) -> Any:
        return [logged(*entry) for entry in self._state.requests]

    def settings(self, given: Any) -> Any:
        for name, value in known(Settings, given).items():
            setattr(self._state.settings, name, value)
        return vars(self._state.settings)

    def faults(self, given: Any) -> Any:
        for one in given:
            times = one.pop("times", 1)
            self._state.faults.extend([Fault(**known(Fault, one))] * times)
        return self._state.stats()

    def replies(self, given: Any) -> Any:
        self._state.replies.extend(dict(one) for one in given)
        return self._state.stats()

    def reset(self, given: Any) -> Any:
        self._state.reset()
        return self._state.stats()


def control_routes(state: State) -> list[Route]:
    control = Control(state)
    gets = (control.stats, control.log)
    posts = (control.settings, control.faults, control.replies, control.reset)
    return [
        *(Route(f"/_control/{act.__name__}", shown(act)) for act in gets),
        *(Route(f"/_control/{act.__name__}", told(act), methods=["POST"]) for act in posts),
    ]


def shown(act: Callable[[], Any]) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        return json_response(act())

    return endpoint


def told(act: Callable[[Any], Any]) -> Callable[[Request], Any]:
    """Name a mistake in a script to whoever wrote it."""

    async def endpoint(request: Request) -> Response:
        try:
            return json_response(act(orjson.loads(await request.body())))
        except (ValueError, TypeError, AttributeError) as error:
            return Response(str(error), status_code=400)

    return endpoint


def json_response(value: Any) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")


def logged(at: float, authorization: bytes, raw: bytes) -> dict[str, Any]:
    """One request as JSON. Of the key only the first eight characters are shown."""
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError:
        body = None
    scheme, _, key = authorization.decode("latin-1").partition(" ")
    return {"at": at, "authorization": f"{scheme} {key[:8]}", "body": body}
