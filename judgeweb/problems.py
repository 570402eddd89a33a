"""What goes wrong over HTTP, as RFC 9457 problem documents.

`Problem` is raised by the API alone; services raise their own errors and `judgeweb.api` maps them.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.log import log_response

MEDIA_TYPE = "application/problem+json"
SHOWN_CHARACTERS = 200


@dataclass(frozen=True)
class Fault:
    """One wrong value: where it stands, what it was (None: not shown), what was expected."""

    field: str
    expected: str
    value: Any = None


class Problem(Exception):
    """An answer of 4xx or 5xx. `kind` names it for programs; default: the status itself."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        kind: str = "",
        faults: Iterable[Fault] = (),
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.title = HTTPStatus(status).phrase
        self.kind = kind or self.title.lower().replace(" ", "-")
        self.faults = tuple(faults)
        self.headers = dict(headers or {})
        self.more = dict(more or {})


def shown(value: Any) -> Any:
    """The value as it goes into a problem document: short, and JSON whatever it is."""
    if value is None or isinstance(value, bool | int):
        return value
    text = str(value) if isinstance(value, str | Decimal) else json.dumps(value, default=str)
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


def document(problem: Problem, *, instance: str) -> dict[str, Any]:
    return {
        "type": f"urn:judgeweb:problem:{problem.kind}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "instance": instance,
        "errors": [
            {"field": fault.field, "value": shown(fault.value), "expected": fault.expected}
            for fault in problem.faults
        ],
        **problem.more,
    }


def answer(request: HttpRequest, problem: Problem) -> HttpResponse:
    response = HttpResponse(
        json.dumps(document(problem, instance=request.path)),
        status=problem.status,
        content_type=MEDIA_TYPE,
        headers=problem.headers,
    )
    if problem.status == HTTPStatus.BAD_GATEWAY:
        # Django logs every 5xx as an error. That a judge gave no verdict is none of ours.
        log_response(
            "%s: %s", problem.kind, request.path, response=response, request=request, level="info"
        )
    return response
