"""The problem document as the OpenAPI page shows it."""

from typing import Any

from ninja import Schema


class FaultOut(Schema):
    field: str
    value: Any = None
    expected: str


class ProblemOut(Schema):
    """An RFC 9457 problem document."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[FaultOut]


PROBLEMS = frozenset({400, 401, 403, 404, 413, 422, 429, 500})
